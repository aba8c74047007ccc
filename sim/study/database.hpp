// SPDX-License-Identifier: MIT
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/study/answer.hpp"

namespace finegrain {

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

/// A study's results: an SQLite file, a row a point (docs/studies.md). Every change is durable when the
/// function returns; whatever happens in between, the file holds what was there before or after.
class Database {
 public:
  /// Opens what is there, or creates it with a row for each of its points.
  /// @param rows  of all points of the study, shape [points][input_columns]
  /// @throws InputError if it cannot be written, is no study's, is another study's or another version's
  Database(const std::filesystem::path& path, const StudyIdentity& identity,
           const std::vector<std::vector<Cell>>& rows);
  /// Opens an existing one to read it.
  explicit Database(const std::filesystem::path& path);

  const StudyIdentity& identity() const { return identity_; }
  std::vector<PointState> states() const;
  /// @param by  the program and its version
  void store_closed_forms(const std::vector<std::int64_t>& points, const std::vector<Answer>& answers,
                          const std::string& by);
  void store_simulation(std::int64_t point, const Answer& answer, const std::string& by);
  /// Forgets the simulations that failed.
  void forget_failures();
  /// All columns of all rows, in order of the points.
  Table rows() const;
  /// Copies the rows of another database of the same study.
  void add_rows_of(const Database& other);

 private:
  void check_version() const;
  void read_identity();
  void create(const std::vector<std::vector<Cell>>& rows);

  std::filesystem::path path_;
  StudyIdentity identity_;
  mutable SQLite::Database sqlite_;
};

}  // namespace finegrain
