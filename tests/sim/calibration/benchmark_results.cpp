// SPDX-License-Identifier: MIT
#include "sim/calibration/benchmark_results.hpp"

#include <catch2/catch.hpp>

#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::calibration;
using Catch::Matchers::Contains;
using nlohmann::json;

TEST_CASE("a benchmark's result is found among the lines that its launcher prints") {
  const json result = {{"program", "random_get_upcxx"}, {"spread", {{"median", 2}}}};
  const std::string printed = result.dump(2) + "\n";
  CHECK(result_in(printed) == result);
  CHECK(result_in("Ignoring -localhost setting: only applies to UDP conduit, not smp\n" + printed) == result);
  CHECK(result_in("{a launcher's own}\n" + printed + "{ended}\n") == result);
}

TEST_CASE("a benchmark that printed no result, or half of one, is known by it") {
  CHECK(result_in("").is_discarded());
  CHECK(result_in("Ignoring -localhost setting\n").is_discarded());
  CHECK(result_in("{\n  \"program\": \"random_get_upcxx\",\n").is_discarded());
  CHECK(result_in("{\n  \"program\": \n}\n").is_discarded());
  CHECK(result_in("}\n{\n").is_discarded());
}

TEST_CASE("what is measured between nodes is refused where two ranks ran on one") {
  const json on_two = {{"program", "random_get_upcxx"}, {"hosts", {"a", "b"}}, {"ranks_of_first_node", 1}};
  const json on_one = {{"program", "random_get_upcxx"}, {"hosts", {"a", "a"}}, {"ranks_of_first_node", 2}};
  CHECK_NOTHROW(check_placement(on_two, Nodes::one_a_rank));
  CHECK_THROWS_WITH(check_placement(on_one, Nodes::one_a_rank), Contains("2 ranks ran on a "));
}

TEST_CASE("what is measured on a node is refused where ranks ran on two, or shared no memory") {
  const json on_one = {{"program", "barrier_mpi"}, {"hosts", {"a", "a"}}};
  const json on_two = {{"program", "barrier_mpi"}, {"hosts", {"a", "b"}}};
  const json as_on_two = {{"program", "random_get_upcxx"}, {"hosts", {"a", "a"}}, {"ranks_of_first_node", 1}};
  CHECK_NOTHROW(check_placement(on_one, Nodes::one));
  CHECK_THROWS_WITH(check_placement(on_two, Nodes::one), Contains("ran on a, b"));
  CHECK_THROWS_WITH(check_placement(as_on_two, Nodes::one), Contains("PGAS_RANKS_PER_NODE"));
}
