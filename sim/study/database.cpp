// SPDX-License-Identifier: MIT
#include "sim/study/database.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "sim/study/sqlite_access.hpp"
#include "sim/study/study_row.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::study {
namespace {

constexpr int application_id = 0x46475344;  // "FGSD"
constexpr int schema_version = 10;

/// The tables (docs/studies.md). They are STRICT, so that integrity_check reports cells of a wrong type.
/// @param quantities  how many of kept_quantities have a column: all, or the first ones in an older database
std::vector<std::string> schema(std::size_t quantities = std::size(kept_quantities)) {
  std::string points = "CREATE TABLE points (";
  for (const auto& [name, type] : input_columns())
    points += fmt::format("\"{}\" {}, ", name, type);
  std::string columns;
  for (const KeptQuantity& kept : std::span(kept_quantities).first(quantities))
    columns += fmt::format("{} REAL, ", kept.column);
  return {
      "CREATE TABLE study (study TEXT NOT NULL, digest TEXT NOT NULL, points INTEGER NOT NULL, "
      "shard INTEGER NOT NULL, shards INTEGER NOT NULL, notes TEXT NOT NULL, "
      "rows_digest INTEGER NOT NULL, row_digest INTEGER NOT NULL) STRICT",
      points +
          "closed_form_s REAL, closed_form_phases TEXT, closed_form_none_because TEXT, closed_form_by TEXT, "
          "simulated_s REAL, simulated_phases TEXT, simulated_none_because TEXT, simulated_by TEXT, " +
          columns + "row_digest INTEGER NOT NULL) STRICT"};
}

std::vector<std::string> input_names() {
  std::vector<std::string> names;
  for (const InputColumn& column : input_columns())
    names.push_back(column.name);
  return names;
}

const std::size_t input_count = input_columns().size();
constexpr std::size_t answer_count = std::size(answer_columns);
constexpr std::size_t answers_each = (answer_count - std::size(kept_quantities)) / 2;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& problem,
                       const std::string& remedy) {
  throw InputError(path.string(), problem, remedy);
}

/// The cells of an answer: its total, its phases as a JSON object, why it has no total, who computed it.
std::array<output::Cell, answers_each> cells_of(const Answer& answer, const std::string& by) {
  const auto finite = [](const auto& phase) { return std::isfinite(phase.second); };
  if (!answer.total_s) return {output::Cell(), output::Cell(), answer.none_because, by};
  if (!std::isfinite(*answer.total_s) || !std::ranges::all_of(answer.phases_s, finite))
    return {output::Cell(), output::Cell(), std::string("the time is no finite number"), by};
  nlohmann::ordered_json phases = nlohmann::ordered_json::object();
  for (const auto& [name, time_s] : answer.phases_s)
    phases[name] = time_s;
  return {*answer.total_s, phases.dump(), output::Cell(), by};
}

/// Reads rows by their point.
class RowReader {
 public:
  /// @param quantities  how many the file has columns for
  RowReader(SQLite::Database& sqlite, std::size_t quantities)
      : columns_(static_cast<int>(input_count + 2 * answers_each + quantities)),
        select_(sqlite,
                fmt::format("SELECT \"{}\",{},row_digest FROM points WHERE point=?",
                            fmt::join(input_names(), "\",\""),
                            fmt::join(std::span(answer_columns).first(2 * answers_each + quantities), ","))) {
  }

  /// A point's inputs and answers; none if its row is missing, unreadable, or differs from its digest.
  std::optional<std::vector<output::Cell>> row(std::int64_t point) {
    select_.tryReset();
    select_.bind(1, point);
    try {
      if (!select_.executeStep()) return std::nullopt;
    } catch (const SQLite::Exception& error) {
      if (error.getErrorCode() != SQLITE_CORRUPT) throw;
      return std::nullopt;
    }
    std::vector<output::Cell> cells;
    for (int column = 0; column < columns_; ++column)
      cells.push_back(cell_of(select_.getColumn(column)));
    digest_ = select_.getColumn(columns_).getInt64();
    select_.tryReset();
    if (digest_of(cells) != digest_) return std::nullopt;
    cells.resize(input_count + answer_count);
    return cells;
  }
  /// The digest of the row that was read last, as the file has it.
  std::int64_t digest() const { return digest_; }

 private:
  int columns_;
  std::int64_t digest_ = 0;
  SQLite::Statement select_;
};

/// The contents of the table `study`. The digest of all rows is the exclusive or of the rows' digests.
struct StudyRow {
  StudyIdentity identity;
  std::int64_t rows_digest = 0;

  std::vector<output::Cell> cells() const {
    return {identity.study,
            identity.digest,
            identity.points,
            identity.shard.index,
            identity.shard.count,
            nlohmann::json(identity.notes).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
            rows_digest};
  }
};

/// The texts in a JSON array; none if it is something else.
std::vector<std::string> texts_of(const std::string& json) {
  const auto array = nlohmann::json::parse(json, nullptr, false);
  const auto is_text = [](const auto& value) { return value.is_string(); };
  if (!array.is_array() || !std::ranges::all_of(array, is_text)) return {};
  return array.get<std::vector<std::string>>();
}

StudyRow read_study(SQLite::Database& sqlite, const std::filesystem::path& path) {
  SQLite::Statement select(
      sqlite, "SELECT study, digest, points, shard, shards, notes, rows_digest, row_digest FROM study");
  StudyRow row;
  if (select.executeStep()) {
    row = {{select.getColumn(0).getString(),
            select.getColumn(1).getString(),
            select.getColumn(2).getInt64(),
            {select.getColumn(3).getInt64(), select.getColumn(4).getInt64()},
            texts_of(select.getColumn(5).getString())},
           select.getColumn(6).getInt64()};
    const StudyIdentity& identity = row.identity;
    if (digest_of(row.cells()) == select.getColumn(7).getInt64() && identity.points >= 1 &&
        identity.points <= most_points && identity.shard.index >= 0 &&
        identity.shard.index < identity.shard.count)
      return row;
  }
  fail(path, "what it says of its study is damaged", "Move it away, or give another database");
}

void write_study(SQLite::Database& sqlite, const StudyRow& row) {
  SQLite::Statement insert(sqlite, "INSERT INTO study VALUES (?,?,?,?,?,?,?,?)");
  std::vector<output::Cell> cells = row.cells();
  cells.emplace_back(digest_of(cells));
  bind_cells(insert, cells);
  insert.exec();
}

}  // namespace

std::string Damage::text() const {
  constexpr std::size_t named = 10;
  if (points.empty()) return elsewhere;
  const std::span first(points.data(), std::min(points.size(), named));
  return fmt::format("{} {}{}: rows missing or other than their digests",
                     points.size() == 1 ? "point" : "points", fmt::join(first, ", "),
                     points.size() > named ? fmt::format(" and {} more", points.size() - named) : "");
}

Database::Database(const std::filesystem::path& path, const StudyIdentity& identity,
                   const std::vector<std::vector<output::Cell>>& rows)
    : path_(path), identity_(identity), sqlite_(opened(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)) {
  const bool is_new = in_database(path_, [&] {
    const bool empty = sqlite_.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
    if (!empty) check_schema();
    // Not WAL: its readers and writers share memory, which a network file system cannot give them. FULL also
    // syncs the journal after it is emptied, so a finished point outlives a crash of the machine.
    sqlite_.exec("PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=FULL");
    if (empty) create(rows);
    return empty;
  });
  if (is_new) return;
  identity_ = in_database(path_, [&] { return read_study(sqlite_, path_).identity; });
  if (identity_.digest != identity.digest || identity_.points != identity.points ||
      !(identity_.shard == identity.shard))
    fail(path_,
         fmt::format("holds shard {}/{} of {} with other inputs ({}; the study file, a matrix or a "
                     "platform file has changed)",
                     identity_.shard.index, identity_.shard.count, identity_.study,
                     format_count(identity_.points, "point")),
         "Move it away, or give another database");
  repaired_ = damage();
  if (repaired_.any() || quantities_ < std::size(kept_quantities)) repair(rows);
}

// Not OPEN_READONLY, which could not roll back what a killed process left half done. Where the file may not
// be written, SQLite opens it to read.
Database::Database(const std::filesystem::path& path)
    : path_(path), sqlite_(opened(path, SQLite::OPEN_READWRITE)) {
  in_database(path_, [&] {
    check_schema();
    identity_ = read_study(sqlite_, path_).identity;
  });
  const Damage found = damage();
  if (found.any()) refuse(found);
}

void Database::write(const std::filesystem::path& path, const StudyIdentity& identity,
                     const std::vector<std::vector<output::Cell>>& rows) {
  Temporary temporary(path);
  { const Database made(temporary.path(), identity, rows); }
  temporary.put_in_place();
  std::error_code error;
  std::filesystem::remove(temporary.path().string() + "-journal", error);
}

void Database::create(const std::vector<Row>& rows) {
  SQLite::Transaction transaction(sqlite_);
  for (const std::string& table : schema())
    sqlite_.exec(table);
  sqlite_.exec(
      fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", application_id, schema_version));
  StudyRow study{identity_};
  const std::vector<char> places(input_count + answer_count + 1, '?');
  SQLite::Statement insert(sqlite_, fmt::format("INSERT INTO points VALUES ({})", fmt::join(places, ",")));
  for (Row row : rows) {
    if (!identity_.shard.holds(std::get<std::int64_t>(row.front()))) continue;
    row.resize(input_count + answer_count);
    row.emplace_back(digest_of(row));
    study.rows_digest ^= std::get<std::int64_t>(row.back());
    bind_cells(insert, row);
    insert.exec();
    insert.reset();
  }
  write_study(sqlite_, study);
  transaction.commit();
}

void Database::check_schema() {
  const int application = sqlite_.execAndGet("PRAGMA application_id").getInt();
  const int version = sqlite_.execAndGet("PRAGMA user_version").getInt();
  if (application != application_id)
    fail(path_, "an SQLite database, but not of a study", "Give another database");
  if (version != schema_version)
    fail(path_, fmt::format("schema version {} (this finegrain reads version {})", version, schema_version),
         "Use the finegrain that made it, or give another database");
  SQLite::Statement select(sqlite_, "SELECT sql FROM sqlite_master");
  std::vector<std::string> found;
  while (select.executeStep())
    found.push_back(as_made_today(select.getColumn(0).getString()));
  quantities_ = std::size(kept_quantities);
  while (!std::ranges::equal(found, schema(quantities_)) && quantities_ > 0)
    --quantities_;
  if (!std::ranges::equal(found, schema(quantities_)))
    fail(path_, "its tables are not those of a study (damaged)", "Move it away, or give another database");
}

Damage Database::read(const std::function<void(Row)>& taken) const {
  return in_database(path_, [&] {
    const SQLite::Transaction snapshot(sqlite_);  // another process may store answers meanwhile
    Damage damage;
    std::int64_t rows_digest = 0;
    std::int64_t read = 0;
    RowReader reader(sqlite_, quantities_);
    for (std::int64_t point = 0; point < identity_.points; ++point) {
      if (!identity_.shard.holds(point)) continue;
      std::optional<Row> row = reader.row(point);
      if (!row) {
        damage.points.push_back(point);
        continue;
      }
      rows_digest ^= reader.digest();
      ++read;
      taken(std::move(*row));
    }
    if (!damage.points.empty()) return damage;
    const std::int64_t rows = sqlite_.execAndGet("SELECT count(*) FROM points").getInt64();
    if (rows != read) {
      damage.elsewhere = fmt::format("{} for {}", format_count(rows, "row"), format_count(read, "point"));
    } else if (rows_digest != read_study(sqlite_, path_).rows_digest) {
      damage.elsewhere = "all rows together are other than their digest";
    }
    return damage;
  });
}

void Database::read_whole(const std::function<void(Row)>& taken) const {
  const Damage found = read(taken);
  if (found.any()) refuse(found);
}

Damage Database::damage() const {
  Damage found = read([](const Row&) {});
  if (!found.any()) found.elsewhere = in_database(path_, [&] { return structural_damage(sqlite_); });
  return found;
}

void Database::refuse(const Damage& found) const {
  fail(path_, fmt::format("damaged ({})", found.text()),
       fmt::format("Compute what is damaged again: finegrain study run {}", identity_.study));
}

void Database::repair(const std::vector<Row>& rows) {
  std::vector<Row> kept = rows;
  read([&](Row row) {
    Row& place = kept[static_cast<std::size_t>(std::get<std::int64_t>(row.front()))];
    if (std::ranges::equal(place, std::span(row).first(input_count))) place = std::move(row);
  });
  write(path_, identity_, kept);
  quantities_ = std::size(kept_quantities);
  sqlite_ = opened(path_, SQLite::OPEN_READWRITE);
}

void Database::change(const std::vector<std::int64_t>& points,
                      const std::function<void(std::size_t i, std::span<output::Cell> answers)>& set) {
  in_database(path_, [&] {
    SQLite::Transaction transaction(sqlite_);
    StudyRow study = read_study(sqlite_, path_);
    RowReader reader(sqlite_, quantities_);
    SQLite::Statement update(sqlite_, fmt::format("UPDATE points SET {}=?,row_digest=? WHERE point=?",
                                                  fmt::join(answer_columns, "=?,")));
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::optional<Row> row = reader.row(points[i]);
      if (!row) refuse({{points[i]}, ""});
      study.rows_digest ^= digest_of(*row);
      const std::span<output::Cell> changed = std::span(*row).subspan(input_count);
      set(i, changed);
      const std::int64_t digest = digest_of(*row);
      study.rows_digest ^= digest;
      std::vector<output::Cell> bound(changed.begin(), changed.end());
      bound.insert(bound.end(), {digest, points[i]});
      bind_cells(update, bound);
      update.exec();
      update.reset();
    }
    sqlite_.exec("DELETE FROM study");
    write_study(sqlite_, study);
    transaction.commit();
  });
}

std::vector<PointState> Database::states() const {
  const std::size_t closed_form_by = input_count + answers_each - 1;
  const std::size_t simulated_by = input_count + 2 * answers_each - 1;
  std::vector<PointState> states;
  read_whole([&](const Row& row) {
    const auto* closed_form_s = std::get_if<double>(&row[input_count]);
    states.push_back({std::get<std::int64_t>(row.front()), row[input_count - 1] == output::Cell(),
                      row[closed_form_by] != output::Cell(),
                      closed_form_s == nullptr ? std::nullopt : std::optional(*closed_form_s),
                      row[simulated_by] != output::Cell()});
  });
  return states;
}

void Database::store_closed_forms(const std::vector<std::int64_t>& points, const std::vector<Answer>& found,
                                  const std::string& by) {
  change(points, [&](std::size_t i, std::span<output::Cell> cells) {
    std::ranges::copy(cells_of(found[i], by), cells.begin());
  });
}

void Database::store_simulation(std::int64_t point, const Answer& answer, const std::string& by) {
  change({point}, [&](std::size_t, std::span<output::Cell> cells) {
    std::ranges::copy(cells_of(answer, by), cells.begin() + answers_each);
    for (std::size_t i = 0; i < std::size(kept_quantities); ++i)
      if (const auto value = answer.quantity(kept_quantities[i].name)) cells[2 * answers_each + i] = *value;
  });
}

void Database::forget_failures() {
  const std::size_t simulated_none_because = input_count + 2 * answers_each - 2;
  std::vector<std::int64_t> failed;
  read_whole([&](const Row& row) {
    if (row[simulated_none_because] != output::Cell()) failed.push_back(std::get<std::int64_t>(row.front()));
  });
  change(failed, [](std::size_t, std::span<output::Cell> cells) {
    std::ranges::fill(cells.subspan(answers_each), output::Cell());
  });
}

output::Table Database::rows() const {
  output::Table table;
  for (const std::string& column : input_names())
    table.columns.push_back({column, column});
  for (const char* column : answer_columns)
    table.columns.push_back({column, column});
  read_whole([&](Row row) { table.rows.push_back(std::move(row)); });
  return table;
}

}  // namespace finegrain::study
