// SPDX-License-Identifier: MIT
#include "sim/study/database.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "sim/study/sqlite_access.hpp"
#include "sim/study/study_row.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

constexpr int application_id = 0x46475344;  // "FGSD"
constexpr int schema_version = 2;
constexpr int patience_ms = 60'000;  // for somebody who reads meanwhile

/// docs/studies.md describes it.
constexpr const char* schema = R"sql(
CREATE TABLE study (
  study TEXT NOT NULL, digest TEXT NOT NULL, points INTEGER NOT NULL,
  shard INTEGER NOT NULL, shards INTEGER NOT NULL
);
CREATE TABLE points (
  point INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL, problem TEXT NOT NULL, problem_digest TEXT,
  policy TEXT NOT NULL, transfer TEXT NOT NULL, completion TEXT NOT NULL,
  ranks INTEGER, ranks_per_node INTEGER, nodes INTEGER, placement TEXT NOT NULL, threads INTEGER NOT NULL,
  blocksize INTEGER, mprocs INTEGER, nprocs INTEGER, iterations INTEGER NOT NULL,
  platform TEXT NOT NULL, platform_digest TEXT NOT NULL, changes TEXT, infeasible TEXT,
  closed_form_s REAL, closed_form_phases TEXT, closed_form_none_because TEXT, closed_form_by TEXT,
  simulated_s REAL, simulated_phases TEXT, simulated_none_because TEXT, simulated_by TEXT
);
)sql";

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& problem) {
  throw InputError(fmt::format("{}: {}", path.string(), problem));
}

SQLite::Database opened(const std::filesystem::path& path, int mode) {
  return in_database(path, [&] { return SQLite::Database(path.string(), mode, patience_ms); });
}

/// Total, phases as a JSON object, why there is none, and by whom.
std::vector<Cell> cells_of(const Answer& answer, const std::string& by) {
  nlohmann::ordered_json phases = nlohmann::ordered_json::object();
  for (const auto& [name, time_s] : answer.phases_s)
    phases[name] = time_s;
  return {answer.total_s ? Cell(*answer.total_s) : Cell(), answer.total_s ? Cell(phases.dump()) : Cell(),
          answer.total_s ? Cell() : Cell(answer.none_because), by};
}

}  // namespace

Database::Database(const std::filesystem::path& path, const StudyIdentity& identity,
                   const std::vector<std::vector<Cell>>& rows)
    : path_(path), identity_(identity), sqlite_(opened(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)) {
  in_database(path_, [&] {
    // Not WAL: its readers and writers share memory, which a network file system cannot give them. FULL also
    // syncs the journal after it is emptied, so a finished point outlives a crash of the machine.
    sqlite_.exec("PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=FULL");
    if (sqlite_.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0) create(rows);
  });
  read_identity();
  if (identity_.digest != identity.digest || !(identity_.shard == identity.shard)) {
    fail(path_,
         fmt::format("holds shard {}/{} of {} with other inputs ({} points; the study file, a matrix or a "
                     "platform file has changed). Move it away, or give another --database",
                     identity_.shard.index, identity_.shard.count, identity_.study, identity_.points));
  }
}

// Not OPEN_READONLY: what a killed process left half done could then not be rolled back. SQLite reads what it
// may not write all the same.
Database::Database(const std::filesystem::path& path)
    : path_(path), sqlite_(opened(path, SQLite::OPEN_READWRITE)) {
  read_identity();
}

void Database::create(const std::vector<std::vector<Cell>>& rows) {
  SQLite::Transaction transaction(sqlite_);
  sqlite_.exec(schema);
  sqlite_.exec(
      fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", application_id, schema_version));
  SQLite::Statement study(sqlite_, "INSERT INTO study VALUES (?, ?, ?, ?, ?)");
  study.bind(1, identity_.study);
  study.bind(2, identity_.digest);
  study.bind(3, identity_.points);
  study.bind(4, identity_.shard.index);
  study.bind(5, identity_.shard.count);
  study.exec();
  const std::vector<const char*> columns(std::begin(input_columns), std::end(input_columns));
  const std::vector<char> places(columns.size(), '?');
  SQLite::Statement insert(sqlite_, fmt::format("INSERT INTO points ({}) VALUES ({})",
                                                fmt::join(columns, ","), fmt::join(places, ",")));
  for (const std::vector<Cell>& row : rows) {
    if (!identity_.shard.holds(std::get<std::int64_t>(row.front()))) continue;
    for (std::size_t column = 0; column < row.size(); ++column)
      bind(insert, static_cast<int>(column) + 1, row[column]);
    insert.exec();
    insert.reset();
  }
  transaction.commit();
}

void Database::check_version() const {
  const int application = sqlite_.execAndGet("PRAGMA application_id").getInt();
  const int version = sqlite_.execAndGet("PRAGMA user_version").getInt();
  if (application != application_id)
    fail(path_, "an SQLite database, but not of a study. Give another --database");
  if (version != schema_version) {
    fail(path_,
         fmt::format(
             "schema version {} (this finegrain reads version {}). Use the finegrain that made it, or give "
             "another --database",
             version, schema_version));
  }
}

void Database::read_identity() {
  in_database(path_, [&] {
    check_version();
    SQLite::Statement select(sqlite_, "SELECT study, digest, points, shard, shards FROM study");
    if (!select.executeStep())
      fail(path_, "names no study (damaged). Move it away, or give another --database");
    identity_ = {select.getColumn(0).getString(),
                 select.getColumn(1).getString(),
                 select.getColumn(2).getInt64(),
                 {select.getColumn(3).getInt64(), select.getColumn(4).getInt64()}};
  });
}

std::vector<PointState> Database::states() const {
  return in_database(path_, [&] {
    SQLite::Statement select(sqlite_,
                             "SELECT point, infeasible IS NULL, closed_form_by IS NOT NULL, closed_form_s, "
                             "simulated_by IS NOT NULL FROM points ORDER BY point");
    std::vector<PointState> states;
    while (select.executeStep()) {
      const SQLite::Column closed_form_s = select.getColumn(3);
      states.push_back({select.getColumn(0).getInt64(), select.getColumn(1).getInt() != 0,
                        select.getColumn(2).getInt() != 0,
                        closed_form_s.isNull() ? std::nullopt : std::optional(closed_form_s.getDouble()),
                        select.getColumn(4).getInt() != 0});
    }
    return states;
  });
}

void Database::store_closed_forms(const std::vector<std::int64_t>& points, const std::vector<Answer>& answers,
                                  const std::string& by) {
  in_database(path_, [&] {
    SQLite::Transaction transaction(sqlite_);
    SQLite::Statement update(sqlite_,
                             "UPDATE points SET closed_form_s=?, closed_form_phases=?, "
                             "closed_form_none_because=?, closed_form_by=? WHERE point=?");
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::vector<Cell> cells = cells_of(answers[i], by);
      for (std::size_t place = 0; place < cells.size(); ++place)
        bind(update, static_cast<int>(place) + 1, cells[place]);
      update.bind(5, points[i]);
      update.exec();
      update.reset();
    }
    transaction.commit();
  });
}

void Database::store_simulation(std::int64_t point, const Answer& answer, const std::string& by) {
  in_database(path_, [&] {
    SQLite::Statement update(sqlite_,
                             "UPDATE points SET simulated_s=?, simulated_phases=?, "
                             "simulated_none_because=?, simulated_by=? WHERE point=?");
    const std::vector<Cell> cells = cells_of(answer, by);
    for (std::size_t place = 0; place < cells.size(); ++place)
      bind(update, static_cast<int>(place) + 1, cells[place]);
    update.bind(5, point);
    update.exec();
  });
}

void Database::forget_failures() {
  in_database(path_, [&] {
    sqlite_.exec(
        "UPDATE points SET simulated_none_because=NULL, simulated_by=NULL WHERE simulated_none_because IS "
        "NOT NULL");
  });
}

Table Database::rows() const {
  return in_database(path_, [&] {
    Table table;
    SQLite::Statement select(sqlite_, "SELECT * FROM points ORDER BY point");
    for (int column = 0; column < select.getColumnCount(); ++column)
      table.columns.push_back({select.getColumnName(column), select.getColumnName(column)});
    while (select.executeStep()) {
      std::vector<Cell>& row = table.rows.emplace_back();
      for (int column = 0; column < select.getColumnCount(); ++column)
        row.push_back(cell_of(select.getColumn(column)));
    }
    return table;
  });
}

void Database::add_rows_of(const Database& other) {
  in_database(path_, [&] {
    SQLite::Statement attach(sqlite_, "ATTACH ? AS other");
    attach.bind(1, other.path_.string());
    attach.exec();
    SQLite::Transaction transaction(sqlite_);
    sqlite_.exec("INSERT INTO points SELECT * FROM other.points");
    transaction.commit();
    sqlite_.exec("DETACH other");
  });
}

}  // namespace finegrain
