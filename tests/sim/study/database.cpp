// SPDX-License-Identifier: MIT
#include "sim/study/database.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "sim/study/export.hpp"
#include "sim/study/merge.hpp"
#include "sim/study/study_row.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using Catch::Matchers::Contains;

namespace {

std::vector<std::vector<Cell>> rows_of(std::int64_t points) {
  std::vector<std::vector<Cell>> rows;
  for (std::int64_t point = 0; point < points; ++point)
    rows.push_back({point,
                    std::string("spmv"),
                    std::string("m.fgm"),
                    std::string("d1"),
                    std::string("condensed"),
                    std::string("put"),
                    std::string("each"),
                    std::int64_t{4},
                    std::int64_t{2},
                    std::int64_t{2},
                    std::string("block"),
                    std::int64_t{1},
                    std::int64_t{10},
                    {},
                    {},
                    std::int64_t{5},
                    std::string("abel"),
                    std::string("d2"),
                    {},
                    point == 1 ? Cell(std::string("too large")) : Cell()});
  return rows;
}

StudyIdentity identity(const std::string& digest = "d", Shard shard = {}) {
  return {"study.toml", digest, 4, shard};
}

const Answer an_answer{
    .total_s = 1 / 3., .phases_s = {{"pack", 0.1}, {"compute 2", 0.2}}, .none_because = ""};
const Answer no_answer{.total_s = {}, .phases_s = {}, .none_because = "SimGrid refused"};

}  // namespace

TEST_CASE("what is stored is there when the database is opened again, to the last digit") {
  const test::TemporaryFolder folder;
  {
    Database database(folder / "s.sqlite", identity(), rows_of(4));
    database.store_closed_forms({0, 2}, {an_answer, no_answer}, "finegrain 1");
    database.store_simulation(2, an_answer, "finegrain 1, SimGrid 3");
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
  CHECK(cell(1, "infeasible") == Cell(std::string("too large")));
}

TEST_CASE("a simulation that failed is simulated again only when that is asked for") {
  const test::TemporaryFolder folder;
  Database database(folder / "s.sqlite", identity(), rows_of(4));
  database.store_simulation(0, an_answer, "finegrain 1");
  database.store_simulation(2, no_answer, "finegrain 1");
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
                    Contains("schema version 1 (this finegrain reads version 2)"));
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
