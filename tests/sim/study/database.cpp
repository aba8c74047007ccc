// SPDX-License-Identifier: MIT
#include "sim/study/database.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>

#include "sim/study/export.hpp"
#include "sim/study/fastest.hpp"
#include "sim/study/merge.hpp"
#include "sim/study/study_row.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"
#include "tests/sim/study/small_database.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::output;
using namespace finegrain::study;
using Catch::Matchers::Contains;
using test::identity;
using test::rows_of;

namespace {

const Answer an_answer{
    .total_s = 1 / 3., .phases_s = {{"pack", 0.1}, {"compute 2", 0.2}}, .none_because = ""};
const Answer refused{.total_s = {}, .phases_s = {}, .none_because = "SimGrid refused"};

}  // namespace

TEST_CASE("what is stored is there when the database is opened again, to the last digit") {
  const test::TemporaryFolder folder;
  {
    Database database(folder / "s.sqlite", identity(), rows_of(4));
    database.store_closed_forms({0, 2}, {an_answer, refused}, "finegrain 1");
    Answer with_energy = an_answer;
    with_energy.quantities = {{"energy_j", 12.5}};
    database.store_simulation(2, with_energy, "finegrain 1, SimGrid 3");
  }
  const Database database(folder / "s.sqlite", identity(), rows_of(4));
  const std::vector<PointState> states = database.states();
  REQUIRE(states.size() == 4);
  CHECK(states[0].closed_form_s == 1 / 3.);
  CHECK((states[2].has_closed_form && !states[2].closed_form_s));
  CHECK((states[2].simulated && !states[0].simulated));
  CHECK((!states[1].feasible && states[0].feasible));
  const Table table = export_table(database);
  const auto cell = [&](std::size_t row, const std::string& key) {
    const auto column = std::ranges::find(table.columns, key, &Column::key) - table.columns.begin();
    return table.rows[row].at(static_cast<std::size_t>(column));
  };
  CHECK(cell(0, "closed_form_pack_s") == Cell(0.1));
  CHECK(cell(2, "simulated_compute_2_s") == Cell(0.2));
  CHECK(cell(0, "simulated_compute_2_s") == Cell());
  CHECK(cell(2, "closed_form_none_because") == Cell(std::string("SimGrid refused")));
  CHECK(cell(2, "simulated_by") == Cell(std::string("finegrain 1, SimGrid 3")));
  CHECK(cell(2, "simulated_j") == Cell(12.5));
  CHECK(cell(0, "simulated_j") == Cell());
  CHECK(cell(1, "infeasible") == Cell(std::string("too large")));
}

TEST_CASE("a simulation that failed is simulated again only when that is asked for") {
  const test::TemporaryFolder folder;
  Database database(folder / "s.sqlite", identity(), rows_of(4));
  database.store_simulation(0, an_answer, "finegrain 1");
  database.store_simulation(2, refused, "finegrain 1");
  CHECK(database.states()[2].simulated);
  database.forget_failures();
  CHECK(!database.states()[2].simulated);
  CHECK(database.states()[0].simulated);
}

TEST_CASE("a database of other inputs, or of another shard, is refused") {
  const test::TemporaryFolder folder;
  { const Database database(folder / "s.sqlite", identity(), rows_of(4)); }
  CHECK_THROWS_WITH(Database(folder / "s.sqlite", identity("other"), rows_of(4)), Contains("other inputs"));
  CHECK_THROWS_AS(Database(folder / "s.sqlite", identity("d", {0, 2}), rows_of(4)), InputError);
}

TEST_CASE("another schema version is refused, and so is what is no study's") {
  const test::TemporaryFolder folder;
  { const Database database(folder / "s.sqlite", identity(), rows_of(4)); }
  SQLite::Database(folder / "s.sqlite", SQLite::OPEN_READWRITE).exec("PRAGMA user_version=1");
  CHECK_THROWS_WITH(Database(folder / "s.sqlite"),
                    Contains("schema version 1 (this finegrain reads version 10)"));
  test::write_bytes(folder / "text.sqlite", std::string(5000, 'x'));
  CHECK_THROWS_WITH(Database(folder / "text.sqlite"), Contains("not a database"));
  CHECK_THROWS_AS(Database(folder / "missing.sqlite"), InputError);
}

TEST_CASE("shards hold their own points, and merged they hold all") {
  const test::TemporaryFolder folder;
  std::vector<std::filesystem::path> shards;
  for (const std::int64_t index : {1, 0}) {
    shards.push_back(folder / fmt::format("s{}", index));
    Database database(shards.back(), identity("d", {index, 2}), rows_of(4));
    const std::vector<PointState> states = database.states();
    REQUIRE(states.size() == 2);
    CHECK(states[0].point == index);
    CHECK(states[1].point == index + 2);
    database.store_simulation(index + 2, an_answer, "finegrain 1");
  }
  CHECK_THROWS_WITH(merge_shards({shards[0]}, folder / "all"), Contains("shard 0 of 2 is missing"));
  CHECK(!std::filesystem::exists(folder / "all"));
  merge_shards(shards, folder / "all");
  const Database all(folder / "all", identity(), rows_of(4));
  const std::vector<PointState> states = all.states();
  REQUIRE(states.size() == 4);
  for (const std::int64_t point : {0, 1, 2, 3}) {
    CHECK(states[static_cast<std::size_t>(point)].point == point);
    CHECK(states[static_cast<std::size_t>(point)].simulated == (point >= 2));
  }
}

namespace {

/// A database with answers, in as few bytes as SQLite can do with.
class SmallDatabase {
 public:
  SmallDatabase() {
    {
      Database database(path_, identity(), rows_of(4));
      answer(database);
    }
    SQLite::Database(path_, SQLite::OPEN_READWRITE).exec("PRAGMA page_size=512; VACUUM");
    bytes_ = test::bytes_of(path_);
    rows_ = Database(path_).rows().rows;
  }

  const std::string& bytes() const { return bytes_; }
  const std::filesystem::path& path() const { return path_; }

  /// Puts other bytes in the file's place. @returns why they cannot be read, empty if the rows are the same
  std::string error_with(const std::string& bytes) const {
    put(bytes);
    try {
      if (Database(path_).rows().rows != rows_) return "other rows";
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  }
  /// The same of a run, which computes what is missing.
  std::string error_when_run_with(const std::string& bytes) const {
    put(bytes);
    try {
      Database database(path_, identity(), rows_of(4));
      answer(database);
      if (database.rows().rows != rows_) return "other rows";
      return Database(path_).rows().rows == rows_ ? "" : "other rows when it is opened again";
    } catch (const InputError& error) {
      return error.what();
    }
  }
  /// Runs SQL, as another program would.
  void execute(const std::string& sql) const {
    put(bytes_);
    SQLite::Database(path_, SQLite::OPEN_READWRITE).exec(sql);
  }

 private:
  /// What a run does: each point that has no answer gets its own.
  static void answer(Database& database) {
    for (const PointState& state : database.states()) {
      if (state.feasible && !state.has_closed_form)
        database.store_closed_forms({state.point}, {answer_of(state.point)}, "f");
      if (state.feasible && !state.simulated && state.point != 0)
        database.store_simulation(state.point, answer_of(state.point), "f");
    }
  }
  static Answer answer_of(std::int64_t point) {
    return {.total_s = 1.0 / static_cast<double>(point + 3), .phases_s = {{"pack", 0.1}}, .none_because = ""};
  }
  void put(const std::string& bytes) const {
    for (const char* ending : {"-journal", "-wal", "-shm"})
      std::filesystem::remove(path_.string() + ending);
    test::write_bytes(path_, bytes);
  }

  /// Where there is one in memory: thousands of files are synced.
  static void use_memory() {
    if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 1);
  }

  test::TemporaryFolder folder_ = (use_memory(), test::TemporaryFolder());
  std::filesystem::path path_ = folder_ / "s.sqlite";
  std::string bytes_;
  std::vector<std::vector<Cell>> rows_;
};

/// An error is one line that names the file.
void check_error(const std::string& error) {
  if (error.empty()) return;
  REQUIRE_THAT(error, Contains("s.sqlite: "));
  REQUIRE(error.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE(
    "with any byte changed, a database is refused or has the same rows, and a run gives the same rows") {
  const SmallDatabase database;
  REQUIRE(database.bytes().size() < 8000);
  std::size_t refused_by_run = 0;
  for (std::size_t at = 0; at < database.bytes().size(); ++at) {
    // One bit, each in its turn, or all.
    const int change = at % 9 == 8 ? 0xff : 1 << at % 9;
    CAPTURE(at, change);
    std::string bytes = database.bytes();
    bytes[at] = static_cast<char>(bytes[at] ^ change);
    check_error(database.error_with(bytes));
    const std::string error = database.error_when_run_with(bytes);
    check_error(error);
    refused_by_run += error.empty() ? 0 : 1;
  }
  // The file's head, the tables' names and columns, and what the study is.
  CHECK(refused_by_run < database.bytes().size() / 2);
}

TEST_CASE("a database that ends anywhere is refused, or has the same rows") {
  const SmallDatabase database;
  for (std::size_t size = 0; size < database.bytes().size(); ++size) {
    CAPTURE(size);
    const std::string bytes = database.bytes().substr(0, size);
    const std::string error = database.error_with(bytes);
    REQUIRE(!error.empty());
    check_error(error);
    check_error(database.error_when_run_with(bytes));
  }
}

TEST_CASE("a damaged row is named and never read, and a run computes that one again") {
  const SmallDatabase small;
  small.execute("UPDATE points SET closed_form_s=closed_form_s*2 WHERE point=2");
  CHECK_THROWS_WITH(Database(small.path()),
                    Contains("damaged (point 2: ") && Contains("finegrain study run study.toml"));
  {
    const Database mended(small.path(), identity(), rows_of(4));
    CHECK(mended.repaired().points == std::vector<std::int64_t>{2});
    const std::vector<PointState> states = mended.states();
    CHECK((!states[2].has_closed_form && !states[2].simulated));
    CHECK((states[3].has_closed_form && states[3].simulated));
  }
  CHECK(!Database(small.path(), identity(), rows_of(4)).repaired().any());
}

TEST_CASE("rows that are missing, older than the study or of a point that it lacks are found") {
  const SmallDatabase small;
  const auto error = [&](const std::string& sql) {
    small.execute(sql);
    return small.error_with(test::bytes_of(small.path()));
  };
  CHECK_THAT(error("DELETE FROM points"), Contains("points 0, 1, 2, 3: "));
  CHECK_THAT(error("DELETE FROM points WHERE point=3"), Contains("point 3: "));
  CHECK_THAT(error("UPDATE points SET point=1000000000000 WHERE point=3"), Contains("point 3: "));
  std::string other_columns;
  for (const InputColumn& column : input_columns())
    if (column.name != "point") other_columns += ", \"" + column.name + '"';
  for (const char* column : answer_columns)
    other_columns += std::string(", ") + column;
  CHECK_THAT(error("INSERT INTO points SELECT 4" + other_columns + ", row_digest FROM points WHERE point=3"),
             Contains("5 rows"));
  CHECK_THAT(error("UPDATE study SET points=5"), Contains("of its study"));
  CHECK_THAT(error("CREATE VIEW v AS SELECT 1"), Contains("its tables"));
  // A row as it was before it had an answer.
  const test::TemporaryFolder folder;
  { const Database fresh(folder / "fresh", identity(), rows_of(4)); }
  CHECK_THAT(
      error("ATTACH '" + (folder / "fresh").string() +
            "' AS fresh; DELETE FROM points WHERE point=3; INSERT INTO points SELECT * FROM fresh.points "
            "WHERE point=3"),
      Contains("all rows together"));
  CHECK(small.error_when_run_with(test::bytes_of(small.path())).empty());
}

TEST_CASE("what another program wrote with the right digests is refused where it is no answer") {
  const SmallDatabase small;
  small.execute(R"(UPDATE points SET closed_form_phases='{"pack":"long"}' WHERE point=2)");
  test::correct_digests(small.path());
  CHECK_THROWS_WITH(export_table(Database(small.path())), Contains("are no phases"));
  small.execute("UPDATE study SET shards=0");
  test::correct_digests(small.path());
  CHECK_THROWS_WITH(Database(small.path()), Contains("of its study"));
  small.execute("UPDATE points SET policy='fast' WHERE point=2");
  test::correct_digests(small.path());
  CHECK_THROWS_WITH(fastest_points(Database(small.path()), 9), Contains("'fast put each' is not a program"));
}

TEST_CASE(
    "a database from before a quantity was kept is read as it is, and gets its column when it goes on") {
  const SmallDatabase small;
  const std::string last = std::end(kept_quantities)[-1].column;
  small.execute("ALTER TABLE points DROP COLUMN " + last);
  test::correct_digests(small.path());
  const auto cells = [&](const std::string& key) {
    const Table table = Database(small.path()).rows();
    const auto column = std::ranges::find(table.columns, key, &Column::key) - table.columns.begin();
    std::vector<Cell> found;
    for (const auto& row : table.rows)
      found.push_back(row.at(static_cast<std::size_t>(column)));
    return found;
  };
  const std::vector<Cell> simulated_s = cells("simulated_s");
  CHECK(simulated_s[2] != Cell());
  CHECK(cells(last) == std::vector<Cell>(4));
  {
    Database database(small.path(), identity(), rows_of(4));
    CHECK_FALSE(database.repaired().any());
    database.store_simulation(0,
                              {.total_s = 1,
                               .phases_s = {},
                               .quantities = {{std::end(kept_quantities)[-1].name, 5}},
                               .none_because = {}},
                              "f");
  }
  CHECK(cells(last) == std::vector<Cell>{5., Cell(), Cell(), Cell()});
  CHECK(cells("simulated_s") == std::vector<Cell>{1., simulated_s[1], simulated_s[2], simulated_s[3]});
}

TEST_CASE("a database from when compute_scale was always a number is read, and goes on") {
  const SmallDatabase small;
  const std::string as_then = R"(PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql=replace(sql,
                              '"compute_scale" ANY', '"compute_scale" REAL'); PRAGMA writable_schema=RESET;)";
  CHECK_THROWS(small.execute(as_then + "UPDATE points SET compute_scale='2,n*=3' WHERE point=3"));
  small.execute(as_then + "UPDATE points SET compute_scale=2 WHERE point=3");
  test::correct_digests(small.path());
  CHECK(Database(small.path()).rows().rows.size() == 4);
  Database database(small.path(), identity(), rows_of(4));
  CHECK_FALSE(database.repaired().any());
  database.store_simulation(0, {.total_s = 1, .phases_s = {}, .quantities = {}, .none_because = {}}, "f");
}

TEST_CASE("shards without a row are not merged") {
  const test::TemporaryFolder folder;
  std::vector<std::filesystem::path> shards;
  for (const std::int64_t index : {0, 1}) {
    shards.push_back(folder / fmt::format("s{}", index));
    const Database database(shards.back(), identity("d", {index, 2}), rows_of(4));
  }
  SQLite::Database(shards[1], SQLite::OPEN_READWRITE).exec("DELETE FROM points");
  CHECK_THROWS_WITH(merge_shards(shards, folder / "all"), Contains("s1: damaged (points 1, 3: "));
  CHECK(!std::filesystem::exists(folder / "all"));
}

TEST_CASE("a time that is no finite number is stored as no answer") {
  const test::TemporaryFolder folder;
  Database database(folder / "s.sqlite", identity(), rows_of(4));
  database.store_closed_forms({0, 2},
                              {{.total_s = std::nan(""), .phases_s = {}, .none_because = ""},
                               {.total_s = -0.0, .phases_s = {}, .none_because = ""}},
                              "f");
  const std::vector<PointState> states = database.states();
  CHECK((states[0].has_closed_form && !states[0].closed_form_s));
  CHECK(states[2].closed_form_s == 0.0);
}
