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

namespace finegrain::study {

/// Which part of a study a database holds: the points whose number leaves `index` when divided by `count`.
struct Shard {
  std::int64_t index = 0;
  std::int64_t count = 1;

  bool holds(std::int64_t point) const { return point % count == index; }
  friend bool operator==(const Shard&, const Shard&) = default;
};

/// What a database is of.
struct StudyIdentity {
  std::string study;   ///< file name of the study file, for people
  std::string digest;  ///< of all points' inputs
  std::int64_t points = 0;
  Shard shard;
};

/// What is known of a point so far.
struct PointState {
  std::int64_t point = 0;
  bool feasible = true;
  bool has_closed_form = false;  ///< or it is known that there is none
  std::optional<double> closed_form_s;
  bool simulated = false;  ///< or it is known that it cannot be
};

/// The parts of a database that are no longer as they were written.
struct Damage {
  std::vector<std::int64_t> points;  ///< points whose rows differ from their digest, or are missing
  std::string elsewhere;             ///< what else is wrong; empty: nothing is

  bool any() const { return !points.empty() || !elsewhere.empty(); }
  /// For people: "points 3, 7: their rows differ from their digests".
  std::string text() const;
};

/// A study's results: an SQLite file, a row a point (docs/studies.md). Every change is durable when the
/// function returns; whatever happens in between, the file holds what was there before or after. Each row has
/// a digest, and all rows together have one, which are checked whenever rows are read.
class Database {
 public:
  /// Opens the database, or creates it with a row for each of its points. If it is damaged, the answers of
  /// its damaged points are dropped.
  /// @param rows  of all points of the study, shape [points][input_columns]
  /// @throws InputError if it cannot be written, is no study's, is another study's or another version's
  Database(const std::filesystem::path& path, const StudyIdentity& identity,
           const std::vector<std::vector<output::Cell>>& rows);
  /// Opens an existing one to read it. @throws InputError if it is damaged
  explicit Database(const std::filesystem::path& path);

  /// Makes one of these rows, whole or not at all, in place of what is there.
  /// @param rows  shape [points][input_columns] or, with answers, [points][input_columns + answer_columns]
  static void write(const std::filesystem::path& path, const StudyIdentity& identity,
                    const std::vector<std::vector<output::Cell>>& rows);

  const StudyIdentity& identity() const { return identity_; }
  /// What was damaged when it was opened; the answers of these points have been forgotten.
  const Damage& repaired() const { return repaired_; }
  /// @throws InputError if a row is damaged, as the functions below do
  std::vector<PointState> states() const;
  /// @param by  finegrain and its version
  void store_closed_forms(const std::vector<std::int64_t>& points, const std::vector<Answer>& answers,
                          const std::string& by);
  void store_simulation(std::int64_t point, const Answer& answer, const std::string& by);
  /// Forgets the simulations that failed.
  void forget_failures();
  /// The columns of inputs and answers of all rows, in order of the points.
  output::Table rows() const;

 private:
  using Row = std::vector<output::Cell>;  ///< inputs and answers

  void create(const std::vector<Row>& rows);
  void check_schema() const;
  /// Hands over the rows that are as they were written.
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
  mutable SQLite::Database sqlite_;
};

}  // namespace finegrain::study
