// SPDX-License-Identifier: MIT
#include "kernels/problem/heat_problem.hpp"
#include "sim/pattern/heat_formula.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "part_s.hpp"
#include "sim/model/published.hpp"
#include "traces/io/input_error.hpp"

namespace {

using namespace finegrain;
using namespace finegrain::model;
using namespace finegrain::pattern;
using namespace finegrain::platform;
using namespace finegrain::policy;
using namespace finegrain::problem;

Run heat_run(const HeatProblem& problem, int ranks_per_node, Transfer transfer = Transfer::get,
             Completion completion = Completion::each) {
  return {.problem = problem,
          .policy = "condensed",
          .transfer = transfer,
          .completion = completion,
          .ranks = problem.mprocs * problem.nprocs,
          .ranks_per_node = ranks_per_node};
}

Prediction predict_heat(const Run& run, const PlatformCosts& costs, ClosedForm form) {
  return *predict(run, {}, costs, form);
}

/// As Table 5 prints its times: seconds of 1000 steps with two decimals.
std::string two_decimals(double step_s) {
  return fmt::format("{:.2f}", 1000 * step_s);
}

/// T_halo, eq. (21).
double halo_s(const Prediction& prediction) {
  return prediction.nodes_s[static_cast<std::size_t>(prediction.node)];
}

TEST_CASE("heat: as_published gives all 24 predicted values of Table 5") {
  const auto rows = published_heat();
  REQUIRE(rows.size() == 12);
  for (const PublishedHeat& row : rows) {
    CAPTURE(row.problem.rows, row.problem.mprocs, row.problem.nprocs);
    const auto prediction =
        predict_heat(heat_run(row.problem, 16), published_abel(), ClosedForm::as_published);
    CHECK(two_decimals(halo_s(prediction)) == fmt::format("{:.2f}", row.halo.predicted_s));
    CHECK(two_decimals(phase_time_s(prediction, regions::compute).value()) ==
          fmt::format("{:.2f}", row.compute.predicted_s));
  }
}

TEST_CASE("heat: as_printed gives none of Table 5's predicted halo times, and all of its compute times") {
  for (const PublishedHeat& row : published_heat()) {
    CAPTURE(row.problem.rows, row.problem.mprocs, row.problem.nprocs);
    const auto prediction = predict_heat(heat_run(row.problem, 16), published_abel(), ClosedForm::as_printed);
    CHECK(two_decimals(halo_s(prediction)) != fmt::format("{:.2f}", row.halo.predicted_s));
    CHECK(two_decimals(phase_time_s(prediction, regions::compute).value()) ==
          fmt::format("{:.2f}", row.compute.predicted_s));
  }
}

/// 6 x 8 points on 2 x 2 ranks, three ranks on the first node and one on the second.
constexpr HeatProblem small_heat{.rows = 6, .columns = 8, .mprocs = 2, .nprocs = 2};

/// Three ranks a node share 300 B/s.
PlatformCosts heat_machine() {
  PlatformCosts costs;
  costs.memory_bandwidth_bytes_per_s = 300;
  costs.memory_bandwidth_per_core_bytes_per_s = 300;
  costs.cache_line_bytes = 64;
  costs.tau_s = 3;
  costs.remote_bandwidth_bytes_per_s = 16;
  return costs;
}

TEST_CASE("halo counts: left and right are packed, a neighbour on another node is remote") {
  const HeatGrid grid(6, 8, 2, 2);
  const Placement placement(4, 3);
  const HaloCounts rank_1 = count_halo(1, grid, placement);
  CHECK(rank_1.horizontal_values == 3);  // rank 0
  CHECK(rank_1.values_local == 3);
  CHECK(rank_1.values_remote == 4);  // rank 3, below
  CHECK(rank_1.messages_remote == 1);
  const HaloCounts rank_3 = count_halo(3, grid, placement);
  CHECK(rank_3.values_local == 0);
  CHECK(rank_3.values_remote == 3 + 4);
  CHECK(rank_3.messages_remote == 2);
}

TEST_CASE("heat as_printed: eqs. (19) to (22) by hand") {
  const auto prediction = predict_heat(heat_run(small_heat, 3), heat_machine(), ClosedForm::as_printed);
  const double pack_s = 3 * (8 + 64) / 100.0;
  // Node 0: rank 0 gets 3 + 4 local values; ranks 1 and 2 get 4 and 3 remote ones.
  const double local_s = 2 * 7 * 8 / 100.0;
  const double remote_s = (3 + 4 * 8 / 16.0) + (3 + 3 * 8 / 16.0);
  const double node_0_s = pack_s + local_s + remote_s + pack_s;
  const double node_1_s = pack_s + (2 * 3 + 7 * 8 / 16.0) + pack_s;
  CHECK(prediction.nodes_s[0] == Approx(node_0_s));
  CHECK(prediction.nodes_s[1] == Approx(node_1_s));
  CHECK(prediction.total_s == Approx(node_0_s + 3 * 3 * 4 * 8 / 100.0));
  CHECK(phase_time_s(prediction, regions::get).value() == Approx(local_s + remote_s));
}

TEST_CASE("heat as_published: the node's busiest rank stands for all of them, and tau is paid for one") {
  const auto prediction = predict_heat(heat_run(small_heat, 3), heat_machine(), ClosedForm::as_published);
  const double packs_s = 2 * 3 * (8 + 64) / 100.0;
  CHECK(prediction.nodes_s[0] == Approx(packs_s + 7 * 8 / 100.0 + 3 * 4 * 8 / 16.0 + 1 * 3));
  CHECK(prediction.nodes_s[1] == Approx(packs_s + 1 * 7 * 8 / 16.0 + 2 * 3));
}

TEST_CASE("heat: two-sided charges to wait what one-sided charges to get") {
  const auto one_sided = predict_heat(heat_run(small_heat, 3), heat_machine(), ClosedForm::as_printed);
  const auto two_sided = predict_heat(heat_run(small_heat, 3, Transfer::two_sided, Completion::together),
                                      heat_machine(), ClosedForm::as_printed);
  CHECK(two_sided.total_s == one_sided.total_s);
  CHECK(phase_time_s(two_sided, regions::wait) == phase_time_s(one_sided, regions::get));
}

TEST_CASE("heat, overlapped: the total of the same messages not overlapped, in two compute phases") {
  const auto each = predict_heat(heat_run(small_heat, 3), heat_machine(), ClosedForm::as_printed);
  for (const Transfer transfer : {Transfer::get, Transfer::two_sided}) {
    const auto overlapped = predict_heat(heat_run(small_heat, 3, transfer, Completion::overlapped),
                                         heat_machine(), ClosedForm::as_printed);
    CHECK(overlapped.total_s == each.total_s);
    CHECK(phase_time_s(overlapped, regions::wait) == phase_time_s(each, regions::get));
    // Each rank's part is 3 x 4 points with two neighbours.
    CHECK(phase_time_s(overlapped, regions::compute).value() == Approx(3 * (2 * 3) * 8 / 100.0));
    CHECK(phase_time_s(overlapped, regions::compute, 2).value() == Approx(3 * (3 * 4 - 2 * 3) * 8 / 100.0));
  }
}

TEST_CASE("heat, copied: two doubles a point more, in a phase of its own") {
  HeatProblem copied_heat = small_heat;
  copied_heat.update = HeatUpdate::copy;
  const auto swapped = predict_heat(heat_run(small_heat, 3), heat_machine(), ClosedForm::as_printed);
  const auto copied = predict_heat(heat_run(copied_heat, 3), heat_machine(), ClosedForm::as_printed);
  CHECK_FALSE(phase_time_s(swapped, regions::copy));
  CHECK(phase_time_s(copied, regions::copy).value() == Approx(2 * 3 * 4 * 8 / 100.0));
  CHECK(part_s(copied, "copy", 0) == Approx(2 * 3 * 4 * 8 / 100.0));
  CHECK(copied.total_s == Approx(swapped.total_s + 2 * 3 * 4 * 8 / 100.0));
}

TEST_CASE("heat: parts that do not divide the grid: the largest decides the compute time") {
  const auto prediction = predict_heat(heat_run({.rows = 7, .columns = 8, .mprocs = 2, .nprocs = 2}, 4),
                                       heat_machine(), ClosedForm::as_printed);
  CHECK(phase_time_s(prediction, regions::compute).value() == Approx(3 * 4 * 4 * 8 / (300 / 4.0)));
}

TEST_CASE("heat: ranks on more than one node need tau and W_remote, on one node they do not") {
  PlatformCosts costs = heat_machine();
  costs.tau_s.reset();
  costs.remote_bandwidth_bytes_per_s.reset();
  CHECK_THROWS_AS(predict_heat(heat_run(small_heat, 3), costs, ClosedForm::as_published), InputError);
  CHECK_NOTHROW(predict_heat(heat_run(small_heat, 4), costs, ClosedForm::as_published));
}

}  // namespace
