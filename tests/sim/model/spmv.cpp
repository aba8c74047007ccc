// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "kernels/problem/spmv_problem.hpp"
#include "part_s.hpp"
#include "sim/pattern/layout.hpp"
#include "sim/pattern/spmv_pattern.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/variant.hpp"
#include "traces/io/input_error.hpp"

namespace {

using namespace finegrain;
using namespace finegrain::model;
using namespace finegrain::pattern;
using namespace finegrain::platform;
using namespace finegrain::policy;
using namespace finegrain::problem;

/// Two ranks a node share 200 B/s, so W_private is 100 B/s.
PlatformCosts spmv_machine() {
  PlatformCosts costs;
  costs.memory_bandwidth_bytes_per_s = 200;
  costs.memory_bandwidth_per_core_bytes_per_s = 150;
  costs.cache_line_bytes = 64;
  costs.tau_s = 3;
  costs.remote_bandwidth_bytes_per_s = 16;
  return costs;
}

PlatformCosts without_network() {
  PlatformCosts costs = spmv_machine();
  costs.tau_s.reset();
  costs.remote_bandwidth_bytes_per_s.reset();
  return costs;
}

const Variant naive{"naive", Transfer::get, Completion::each};
const Variant individual{"individual", Transfer::get, Completion::each};
const Variant block{"block", Transfer::get, Completion::each};
const Variant block_put{"block", Transfer::put, Completion::together};
const Variant condensed{"condensed", Transfer::put, Completion::each};
const Variant put_together{"condensed", Transfer::put, Completion::together};
const Variant put_overlapped{"condensed", Transfer::put, Completion::overlapped};
const Variant condensed_send{"condensed", Transfer::two_sided, Completion::together};
const Variant send_overlapped{"condensed", Transfer::two_sided, Completion::overlapped};

/// 38 rows in 4 blocks of 10, the last one of 8: a block a rank, two ranks a node, r_nz = 2.
Run small_run(const Variant& program) {
  return {.problem = SpmvProblem{"small.ell", "", 38, 2, 10},
          .policy = program.policy,
          .transfer = program.transfer,
          .completion = program.completion,
          .ranks = 4,
          .ranks_per_node = 2};
}

/// Rank 0 needs 5 values of rank 1 and 4 of rank 3; rank 1 needs 1 of rank 0 and 2 of rank 2; rank 2 needs 6
/// of rank 3; rank 3 needs 3 of rank 2 and 7 of rank 0. Each value is accessed twice.
std::vector<RankCounts> small_counts() {
  return {{.rows = 10,
           .interior_rows = 3,
           .blocks = 1,
           .accesses_local = 10,
           .accesses_remote = 8,
           .blocks_local = 2,
           .blocks_remote = 1,
           .block_values_local = 20,
           .block_values_remote = 8,
           .blocks_out_local = 2,
           .blocks_out_remote = 1,
           .block_values_out_local = 20,
           .block_values_out_remote = 10,
           .values_in_local = 5,
           .values_in_remote = 4,
           .values_out_local = 1,
           .values_out_remote = 7,
           .messages_in_local = 1,
           .messages_in_remote = 1,
           .messages_out_local = 1,
           .messages_out_remote = 1,
           .needs = {}},
          {.rows = 10,
           .interior_rows = 4,
           .blocks = 1,
           .accesses_local = 2,
           .accesses_remote = 4,
           .blocks_local = 2,
           .blocks_remote = 1,
           .block_values_local = 20,
           .block_values_remote = 10,
           .blocks_out_local = 2,
           .blocks_out_remote = 0,
           .block_values_out_local = 20,
           .block_values_out_remote = 0,
           .values_in_local = 1,
           .values_in_remote = 2,
           .values_out_local = 5,
           .values_out_remote = 0,
           .messages_in_local = 1,
           .messages_in_remote = 1,
           .messages_out_local = 1,
           .messages_out_remote = 0,
           .needs = {}},
          {.rows = 10,
           .interior_rows = 5,
           .blocks = 1,
           .accesses_local = 12,
           .accesses_remote = 0,
           .blocks_local = 2,
           .blocks_remote = 0,
           .block_values_local = 18,
           .block_values_remote = 0,
           .blocks_out_local = 2,
           .blocks_out_remote = 1,
           .block_values_out_local = 20,
           .block_values_out_remote = 10,
           .values_in_local = 6,
           .values_in_remote = 0,
           .values_out_local = 3,
           .values_out_remote = 2,
           .messages_in_local = 1,
           .messages_in_remote = 0,
           .messages_out_local = 1,
           .messages_out_remote = 1,
           .needs = {}},
          {.rows = 8,
           .interior_rows = 6,
           .blocks = 1,
           .accesses_local = 6,
           .accesses_remote = 14,
           .blocks_local = 2,
           .blocks_remote = 1,
           .block_values_local = 18,
           .block_values_remote = 10,
           .blocks_out_local = 2,
           .blocks_out_remote = 1,
           .block_values_out_local = 16,
           .block_values_out_remote = 8,
           .values_in_local = 3,
           .values_in_remote = 7,
           .values_out_local = 6,
           .values_out_remote = 4,
           .messages_in_local = 1,
           .messages_in_remote = 1,
           .messages_out_local = 1,
           .messages_out_remote = 1,
           .needs = {}}};
}

Prediction predict_small(const Variant& program, ClosedForm form) {
  return *predict(small_run(program), small_counts(), spmv_machine(), form);
}

double sum_of_phases(const Prediction& prediction) {
  double sum = 0;
  for (const PhasePrediction& phase : prediction.phases)
    sum += phase.time_s;
  return sum;
}

std::vector<RegionName> kinds(const Prediction& prediction) {
  std::vector<RegionName> result;
  for (const PhasePrediction& phase : prediction.phases)
    result.push_back(phase.name);
  return result;
}

// Eq. (6): 2 values and 2 indices of A and J, and D, x, y.
constexpr double row_bytes = 2 * (8 + 4) + 3 * 8;

TEST_CASE("a row of r_nz = 16 moves 216 bytes, as eq. (6) says") {
  CHECK(row_traffic_bytes(16) == 16 * (8 + 4) + 3 * 8);
}

TEST_CASE("compute: as_printed counts the partial last block in full, as_published its rows") {
  const auto printed = predict_small(condensed, ClosedForm::as_printed);
  const auto published = predict_small(condensed, ClosedForm::as_published);
  CHECK(part_s(printed, "compute", 3) == Approx(10 * row_bytes / 100));
  CHECK(part_s(published, "compute", 3) == Approx(8 * row_bytes / 100));
  CHECK(part_s(printed, "compute", 0) == part_s(published, "compute", 0));
}

TEST_CASE("individual: a cache line a local access, tau a remote one, and the slowest rank decides") {
  const auto prediction = predict_small(individual, ClosedForm::as_published);
  CHECK(part_s(prediction, "local", 0) == Approx(10 * 64.0 / 100));
  CHECK(part_s(prediction, "remote", 0) == Approx(8 * 3.0));
  const double rank_0_s = 10 * row_bytes / 100 + 10 * 64.0 / 100 + 8 * 3.0;
  const double rank_3_s = 8 * row_bytes / 100 + 6 * 64.0 / 100 + 14 * 3.0;
  REQUIRE(rank_3_s > rank_0_s);
  CHECK(prediction.rank == 3);
  CHECK(prediction.total_s == Approx(rank_3_s));
  CHECK(kinds(prediction) == std::vector{regions::compute});
}

TEST_CASE(
    "block: local blocks at the same time, remote blocks one after the other, and the slowest node decides") {
  const auto prediction = predict_small(block, ClosedForm::as_published);
  const double node_0_s =
      10 * row_bytes / 100 + 2 * 20 * 8.0 / 100 + (3 + 8 * 8.0 / 16) + (3 + 10 * 8.0 / 16);
  const double node_1_s = 10 * row_bytes / 100 + 2 * 18 * 8.0 / 100 + (3 + 10 * 8.0 / 16);
  CHECK(prediction.nodes_s[0] == Approx(node_0_s));
  CHECK(prediction.nodes_s[1] == Approx(node_1_s));
  CHECK(prediction.total_s == Approx(node_0_s));
  CHECK(kinds(prediction) == std::vector{regions::get, regions::compute});
  CHECK(sum_of_phases(prediction) == Approx(prediction.total_s));
}

TEST_CASE("block: as_printed moves BLOCKSIZE elements a block, the partial one too") {
  const auto prediction = predict_small(block, ClosedForm::as_printed);
  CHECK(part_s(prediction, "local", 3) == Approx(2 * 2 * 10 * 8.0 / 100));
  CHECK(part_s(prediction, "remote", 0) == Approx(3 + 10 * 8.0 / 16));
}

TEST_CASE("condensed: packs 20 and unpacks 76 bytes a value") {
  const auto prediction = predict_small(condensed, ClosedForm::as_published);
  CHECK(part_s(prediction, "pack", 0) == Approx((1 + 7) * (2 * 8 + 4) / 100.0));
  CHECK(part_s(prediction, "unpack", 0) == Approx((5 + 4) * (8 + 4 + 64) / 100.0));
  CHECK(part_s(prediction, "copy", 0) == Approx(2 * 10 * 8 / 100.0));
  CHECK(part_s(prediction, "copy", 3) == Approx(2 * 8 * 8 / 100.0));
}

TEST_CASE("condensed: the slowest node up to the barrier, then the slowest rank") {
  const auto prediction = predict_small(condensed, ClosedForm::as_published);
  const double pack_s = (6 + 4) * 20 / 100.0;                                        // rank 3
  const double put_s = 2 * 6 * 8 / 100.0 + (3 + 2 * 8 / 16.0) + (3 + 4 * 8 / 16.0);  // node 1
  const double node_0_s = (1 + 7) * 20 / 100.0 + 2 * 5 * 8 / 100.0 + (3 + 7 * 8 / 16.0);
  const double rank_0_s = (2 * 10 * 8 + 9 * 76 + 10 * row_bytes) / 100;
  const double rank_3_s = (2 * 8 * 8 + 10 * 76 + 8 * row_bytes) / 100;
  REQUIRE(rank_0_s > rank_3_s);
  CHECK(prediction.nodes_s[0] == Approx(node_0_s));
  CHECK(prediction.nodes_s[1] == Approx(pack_s + put_s));
  CHECK(prediction.total_s == Approx(pack_s + put_s + rank_0_s));
  CHECK(phase_time_s(prediction, regions::pack).value() == Approx(pack_s));
  CHECK(phase_time_s(prediction, regions::put).value() == Approx(put_s));
  CHECK(phase_time_s(prediction, regions::unpack).value() == Approx(9 * 76 / 100.0));
  CHECK_FALSE(phase_time_s(prediction, regions::barrier));
  CHECK(sum_of_phases(prediction) == Approx(prediction.total_s));
}

TEST_CASE("condensed: two-sided charges to wait what one-sided charges to put, and copies before it") {
  const auto one_sided = predict_small(condensed, ClosedForm::as_published);
  const auto two_sided = predict_small(condensed_send, ClosedForm::as_published);
  CHECK(two_sided.total_s == one_sided.total_s);
  CHECK(phase_time_s(two_sided, regions::wait) == phase_time_s(one_sided, regions::put));
  CHECK(kinds(two_sided) ==
        std::vector{regions::pack, regions::copy, regions::wait, regions::unpack, regions::compute});
}

TEST_CASE("condensed: puts that are waited for together are charged to wait, before the copy") {
  const auto each = predict_small(condensed, ClosedForm::as_published);
  const auto together = predict_small(put_together, ClosedForm::as_published);
  CHECK(together.total_s == each.total_s);
  CHECK(phase_time_s(together, regions::wait) == phase_time_s(each, regions::put));
  CHECK(kinds(together) ==
        std::vector{regions::pack, regions::wait, regions::copy, regions::unpack, regions::compute});
}

TEST_CASE("condensed, overlapped: the total of the same messages not overlapped, in two compute phases") {
  for (const Variant& program : {put_overlapped, send_overlapped}) {
    const auto prediction = predict_small(program, ClosedForm::as_published);
    CHECK(prediction.total_s == predict_small(condensed, ClosedForm::as_published).total_s);
    CHECK(kinds(prediction) == std::vector{regions::pack, regions::copy, regions::compute, regions::wait,
                                           regions::unpack, regions::compute});
    // Rank 0, the slowest after the barrier, has 10 rows, 3 of them interior.
    CHECK(phase_time_s(prediction, regions::compute).value() == Approx(3 * row_bytes / 100));
    CHECK(phase_time_s(prediction, regions::compute, 2).value() == Approx((10 - 3) * row_bytes / 100));
    CHECK_FALSE(phase_time_s(prediction, regions::compute, 3));
    CHECK(sum_of_phases(prediction) == Approx(prediction.total_s));
  }
}

TEST_CASE("block with puts: the blocks that a rank puts, after its compute, in place of those that it gets") {
  const auto prediction = predict_small(block_put, ClosedForm::as_published);
  const double node_0_s =
      10 * row_bytes / 100 + 2 * 20 * 8.0 / 100 + (3 + 10 * 8.0 / 16);  // rank 0's, for rank 3
  const double node_1_s =
      10 * row_bytes / 100 + 2 * 20 * 8.0 / 100 + (3 + 10 * 8.0 / 16) + (3 + 8 * 8.0 / 16);
  CHECK(prediction.nodes_s[0] == Approx(node_0_s));
  CHECK(prediction.nodes_s[1] == Approx(node_1_s));
  CHECK(prediction.total_s == Approx(node_1_s));
  CHECK(kinds(prediction) == std::vector{regions::compute, regions::wait});
  CHECK(sum_of_phases(prediction) == Approx(prediction.total_s));
  const auto printed = predict_small(block_put, ClosedForm::as_printed);
  CHECK(part_s(printed, "remote", 3) == Approx(3 + 10 * 8.0 / 16));
}

TEST_CASE("what no program does has no closed form") {
  CHECK_THROWS_AS(
      predict_small({"individual", Transfer::two_sided, Completion::together}, ClosedForm::as_published),
      InputError);
  CHECK_THROWS_AS(predict_small({"block", Transfer::put, Completion::each}, ClosedForm::as_published),
                  InputError);
}

TEST_CASE("naive (N1): individual's time, and the processor's for pointers to shared and for all rows") {
  PlatformCosts costs = spmv_machine();
  costs.shared_pointer_access_s = 0.5;
  costs.affinity_test_s = 0.25;
  const auto v1 = predict(small_run(individual), small_counts(), costs);
  const auto prediction = predict(small_run(naive), small_counts(), costs);
  // The slowest rank has 8 rows; a row makes 2 references to A, 2 to J, one to D and one to y.
  CHECK(prediction->rank == 3);
  CHECK(prediction->total_s == Approx(v1->total_s + 8 * (2 + 2 + 1 + 1) * 0.5 + 38 * 0.25));
  CHECK(sum_of_phases(*prediction) == Approx(prediction->total_s));
  CHECK(predict(small_run(naive), small_counts(), spmv_machine())->total_s ==
        predict(small_run(individual), small_counts(), spmv_machine())->total_s);
}

TEST_CASE("tau and W_remote are asked for only where ranks of different nodes communicate") {
  std::vector<RankCounts> no_remote = small_counts();
  for (RankCounts& rank : no_remote)
    rank.accesses_remote = rank.blocks_remote = rank.block_values_remote = rank.blocks_out_remote =
        rank.block_values_out_remote = rank.values_out_remote = rank.messages_out_remote = 0;
  for (const Variant& program : {individual, block, block_put, condensed}) {
    const Run run = small_run(program);
    CHECK_THROWS_AS(predict(run, small_counts(), without_network(), ClosedForm::as_published), InputError);
    CHECK_NOTHROW(predict(run, no_remote, without_network(), ClosedForm::as_published));
  }
}

TEST_CASE("a rank alone on its node has its threads' bandwidth, and no more than the node's") {
  Run run = small_run(block);
  run.ranks = 1;
  std::vector<RankCounts> counts(1);
  counts[0].rows = 38;
  const auto compute_s = [&](int threads) {
    run.threads_per_rank = threads;
    return part_s(*predict(run, counts, spmv_machine()), "compute", 0);
  };
  CHECK(compute_s(1) == Approx(38 * row_bytes / 150));
  CHECK(compute_s(2) == Approx(38 * row_bytes / 200));
}

}  // namespace
