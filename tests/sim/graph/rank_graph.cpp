// SPDX-License-Identifier: MIT
#include "sim/graph/rank_graph.hpp"

#include <catch2/catch.hpp>

#include "../../traces/transfer.hpp"
#include "../pattern/schedules.hpp"
#include "kernels/problem/left_ventricle_matrix.hpp"
#include "sim/graph/rank_graph_facts.hpp"
#include "sim/policy/variant.hpp"

using namespace finegrain;
using namespace finegrain::graph;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using namespace finegrain::problem;

namespace {

/// 0 puts 8 bytes to 1, 1 gets 16 bytes from 0 twice, 2 copies its own block, 3 is alone.
Schedule small_schedule() {
  Schedule schedule;
  schedule.run.ranks = 4;
  schedule.run.ranks_per_node = 1;
  schedule.ranks.resize(4);
  for (Body& iteration : schedule.ranks)
    iteration.begin_region(regions::get);
  schedule.ranks[0].add(transfer(TransferKind::put, 1, 8));
  schedule.ranks[1].add(transfer(TransferKind::get, 0, 16, 2));
  schedule.ranks[1].add(transfer(TransferKind::put, 2, 100));
  schedule.ranks[2].add(transfer(TransferKind::get, 2, 1000));
  return schedule;
}

}  // namespace

TEST_CASE("rank graph: puts and gets one way are one edge, a copy of one's own is none") {
  const RankGraph graph = rank_graph(small_schedule());
  CHECK(boost::num_edges(graph) == 2);
  CHECK(total_volume(graph) == Volume{1 + 2 + 1, 8 + 2 * 16 + 100});
  CHECK(degrees(graph) == std::vector<std::size_t>{1, 2, 1, 0});
  CHECK(connected_components(graph) == 2);
  const auto pairs = heaviest_pairs(graph);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0] == PairTraffic{1, 2, {1, 100}, {}});
  CHECK(pairs[1] == PairTraffic{0, 1, {3, 8 + 2 * 16}, {}});
  // 0 and 1 on a node, then 2 and 3.
  CHECK(volume_between_nodes(graph, Placement(4, 2)) == Volume{1, 100});
}

TEST_CASE("rank graph: both ends of a two-sided message are one message") {
  Schedule schedule;
  schedule.ranks.resize(2);
  schedule.ranks[0].begin_region(regions::send);
  schedule.ranks[0].add(transfer(TransferKind::send, 1, 24));
  schedule.ranks[1].begin_region(regions::receive);
  schedule.ranks[1].add(transfer(TransferKind::receive, 0, 24));
  CHECK(total_volume(rank_graph(schedule)) == Volume{1, 24});
}

TEST_CASE("rank graph: the counts' is the schedule's, of every program") {
  const auto matrix = left_ventricle_matrix(1000, RowOrder::none, 1);
  for (const Variant& program : variants(pattern_kind("spmv"))) {
    Run run{.problem = SpmvProblem{"", "", matrix.view().rows, matrix.view().r_nz, 32},
            .policy = program.policy,
            .transfer = program.transfer,
            .completion = program.completion,
            .ranks = 7,
            .ranks_per_node = 2};
    const Placement placement(run.ranks, run.ranks_per_node);
    const auto counts = counts_of(*spmv_of(matrix.view()), {&run, 1}, {&placement, 1}, 1).front();
    CHECK(heaviest_pairs(rank_graph(run, counts)) ==
          heaviest_pairs(rank_graph(spmv_schedule(matrix.view(), run))));
  }
}

TEST_CASE("rank graph: of a program, with the messages of its collective operations or without") {
  Schedule schedule;
  schedule.run.ranks = 4;
  schedule.run.iterations = 3;
  schedule.ranks.resize(4);
  for (Body& body : schedule.ranks)
    body.add_region(RegionName("MPI_Alltoall"),
                    Collective{.kind = CollectiveKind::alltoall, .size_bytes = 8});
  schedule.ranks[0].add_region(regions::send, transfer(TransferKind::send, 3, 100));
  schedule.ranks[3].add_region(regions::receive, transfer(TransferKind::receive, 0, 100));
  const SchedulePrograms programs(schedule);
  CHECK(total_volume(rank_graph(programs)) == Volume{3, 300});
  collectives::Overrides overrides;
  overrides.add("alltoall=pairwise");
  const collectives::Decisions decisions("openmpi-4.1", std::move(overrides));
  const RankGraph graph = rank_graph(programs, &decisions);
  CHECK(boost::num_edges(graph) == 4 * 3);
  CHECK(total_volume(graph) == Volume{3 + 3 * 4 * 3, 300 + 3 * 4 * 3 * 8});
  // 0 and 1 on a node, then 2 and 3: each has one peer on its node and two on the other.
  const std::vector<RankTraffic> traffic = traffic_of(graph, Placement(4, 2));
  REQUIRE(traffic.size() == 4);
  CHECK(traffic[0] == RankTraffic{{3, 24}, {6, 48}, {3, 24}, {6 + 3, 48 + 300}});
  CHECK(traffic[1] == RankTraffic{{3, 24}, {6, 48}, {3, 24}, {6, 48}});
  CHECK(traffic[3] == RankTraffic{{3, 24}, {6 + 3, 48 + 300}, {3, 24}, {6, 48}});
}

TEST_CASE("counts: those of ranks on other nodes are those counted there") {
  const auto matrix = left_ventricle_matrix(1000, RowOrder::none, 1);
  const Distribution distribution(matrix.view().rows, 10, 16);
  auto counts = count_accesses(matrix.view(), {distribution, Placement(10, 3)});
  const Placement cyclic = cyclic_placement(10, 3);
  CHECK(counts != count_accesses(matrix.view(), {distribution, cyclic}));
  place(counts, cyclic);
  CHECK(counts == count_accesses(matrix.view(), {distribution, cyclic}));
}
