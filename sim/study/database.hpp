// SPDX-License-Identifier: MIT
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/study/answer.hpp"
#include "sim/study/study_row.hpp"

namespace finegrain::study {

/// Which part of a study a database holds: the points with number modulo `count` equal to `index`.
struct Shard {
  std::int64_t index = 0;
  std::int64_t count = 1;

  bool holds(std::int64_t point) const { return point % count == index; }
  friend bool operator==(const Shard&, const Shard&) = default;
};

/// The study, and the part of it, whose results a database holds.
struct StudyIdentity {
  std::string study;   ///< file name of the study file, for people
  std::string digest;  ///< the digest of the inputs of all points
  std::int64_t points = 0;
  Shard shard;
  std::vector<std::string> notes = {};  ///< what every answer has to say of the inputs (notes_of_problems())
};

/// What is known about a point so far.
struct PointState {
  std::int64_t point = 0;
  bool feasible = true;
  bool has_closed_form = false;  ///< also true if it is known that there is none
  std::optional<double> closed_form_s;
  bool simulated = false;  ///< also true if it is known that it cannot be
};

/// The parts of a database that are no longer as they were written.
struct Damage {
  std::vector<std::int64_t> points;  ///< points whose rows differ from their digest, or are missing
  std::string elsewhere;             ///< what else is wrong; empty: nothing is

  bool any() const { return !points.empty() || !elsewhere.empty(); }
  /// For people: "points 3, 7: their rows differ from their digests".
  std::string text() const;
};

/// A study's results: an SQLite file with one row for each point (docs/studies.md). Every change is durable
/// when the function returns; if it is interrupted, the file holds the state either before or after the
/// change. Each row has a digest, and so have all rows together; both are checked whenever rows are read.
class Database {
 public:
  /// Opens the database, or creates it with a row for each of its points. If it is damaged, the answers of
  /// its damaged points are dropped. One that an older version wrote gets the columns that it lacks, empty.
  /// @param rows  the inputs of all points of the study, shape [points][input_columns]
  /// @throws InputError if the file cannot be written, or is not the database of a study, or is that of
  /// another study or another schema version
  Database(const std::filesystem::path& path, const StudyIdentity& identity,
           const std::vector<std::vector<output::Cell>>& rows);
  /// Opens an existing database to read it. @throws InputError if it is damaged
  explicit Database(const std::filesystem::path& path);

  /// Writes a database with these rows, whole or not at all. It replaces an existing file.
  /// @param rows  shape [points][input_columns] or, with answers, [points][input_columns + answer_columns]
  static void write(const std::filesystem::path& path, const StudyIdentity& identity,
                    const std::vector<std::vector<output::Cell>>& rows);

  const StudyIdentity& identity() const { return identity_; }
  /// What was damaged when the database was opened. The answers of these points have been dropped.
  const Damage& repaired() const { return repaired_; }
  /// @throws InputError if a row is damaged; so do the functions below
  std::vector<PointState> states() const;
  /// @param by  name and version of the program that computed them
  void store_closed_forms(const std::vector<std::int64_t>& points, const std::vector<Answer>& answers,
                          const std::string& by);
  void store_simulation(std::int64_t point, const Answer& answer, const std::string& by);
  /// Drops the answers of simulations that failed.
  void forget_failures();
  /// The inputs and answers of all rows, in the order of the points.
  output::Table rows() const;

 private:
  using Row = std::vector<output::Cell>;  ///< inputs and answers

  void create(const std::vector<Row>& rows);
  /// Finds out how many quantities have a column.
  void check_schema();
  /// Passes to `taken` every row that matches its digest. @returns what is damaged
  Damage read(const std::function<void(Row)>& taken) const;
  void read_whole(const std::function<void(Row)>& taken) const;
  Damage damage() const;
  [[noreturn]] void refuse(const Damage& found) const;
  void repair(const std::vector<Row>& rows);
  void change(const std::vector<std::int64_t>& points,
              const std::function<void(std::size_t i, std::span<output::Cell> answers)>& set);

  std::filesystem::path path_;
  StudyIdentity identity_;
  Damage repaired_;
  std::size_t quantities_ = std::size(kept_quantities);  ///< that have a column, of these the first ones
  mutable SQLite::Database sqlite_;
};

}  // namespace finegrain::study
