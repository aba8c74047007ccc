// SPDX-License-Identifier: MIT
#include "sim/study/page_data.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/study/export.hpp"
#include "sim/study/study_row.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"
#include "tests/sim/study/small_database.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::study;

namespace {

/// Four points, of which number 1 cannot run; point 3 runs on 8 nodes, the others on 2.
std::vector<std::vector<output::Cell>> rows_with_8_nodes() {
  auto rows = test::rows_of(4);
  const auto nodes =
      std::ranges::find(input_columns(), "nodes", &InputColumn::name) - input_columns().begin();
  rows[3][static_cast<std::size_t>(nodes)] = std::int64_t{8};
  return rows;
}

}  // namespace

TEST_CASE("a study's page has the points that have an answer, simulated ones first, and their axes") {
  const test::TemporaryFolder folder;
  Database database(folder / "s.sqlite", test::identity(), rows_with_8_nodes());
  database.store_closed_forms({0, 2, 3}, {{2.0, {}, {}, {}}, {1.0, {}, {}, {}}, {0.5, {}, {}, {}}},
                              "finegrain 1");
  database.store_simulation(2, {1.5, {}, {{"energy_j", 30.0}}, {}}, "finegrain 2");
  const nlohmann::json study = page_data(database)["study"];
  CHECK(study["axes"] == nlohmann::json{"nodes"});
  REQUIRE(study["points"].size() == 4 - 1);
  CHECK(study["points"][0] == nlohmann::json{{"number", 2},
                                             {"nodes", 2},
                                             {"values", {2}},
                                             {"simulated_s", 1.5},
                                             {"simulated_j", 30.0},
                                             {"closed_form_s", 1.0}});
  CHECK(study["points"][1]["number"] == 3);  // 0.5 s by its closed form, before 2 s
  CHECK(study["simulated_by"] == nlohmann::json{"finegrain 2"});
}

TEST_CASE("a page of too many points has the fastest of each number of nodes") {
  const test::TemporaryFolder folder;
  Database database(folder / "s.sqlite", test::identity(), rows_with_8_nodes());
  database.store_closed_forms({0, 2, 3}, {{2.0, {}, {}, {}}, {1.0, {}, {}, {}}, {9.0, {}, {}, {}}}, "");
  const nlohmann::json data = page_data(database, 2);
  REQUIRE(data["study"]["points"].size() == 2);
  CHECK(data["study"]["points"][0]["number"] == 2);  // the faster one on 2 nodes
  CHECK(data["study"]["points"][1]["number"] == 3);  // the only one on 8
  CHECK(data["notes"].size() == 2);                  // the point that cannot run, and those left out
}

TEST_CASE("what every answer has to say of the inputs is in the page and in the export") {
  const test::TemporaryFolder folder;
  StudyIdentity identity = test::identity();
  identity.notes = {"m.fgm: Padding: 75 %", "\"and\" more"};
  {
    Database made(folder / "s.sqlite", identity, test::rows_of(4));
    made.store_closed_forms({2}, {{1.0, {}, {}, {}}}, "");
  }
  const Database database(folder / "s.sqlite");
  CHECK(database.identity().notes == identity.notes);
  CHECK(export_table(database).notes == identity.notes);
  const auto notes = page_data(database)["notes"].get<std::vector<std::string>>();
  for (const std::string& note : identity.notes)
    CHECK(std::ranges::find(notes, note) != notes.end());
}

TEST_CASE("a page calls the choice of algorithms by the MPI library what a study file calls it") {
  const test::TemporaryFolder folder;
  auto rows = test::rows_of(4);
  const auto collective =
      std::ranges::find(input_columns(), "collective", &InputColumn::name) - input_columns().begin();
  rows[3][static_cast<std::size_t>(collective)] = std::string("bcast=chain");
  Database database(folder / "s.sqlite", test::identity(), rows);
  database.store_closed_forms({2, 3}, {{1.0, {}, {}, {}}, {2.0, {}, {}, {}}}, "");
  const nlohmann::json points = page_data(database)["study"]["points"];
  CHECK(points[0]["values"] == nlohmann::json{"default"});
  CHECK(points[1]["values"] == nlohmann::json{"bcast=chain"});
}

TEST_CASE("a study without an answer has no page") {
  const test::TemporaryFolder folder;
  const Database database(folder / "s.sqlite", test::identity(), test::rows_of(4));
  CHECK_THROWS_AS(page_data(database), InputError);
}
