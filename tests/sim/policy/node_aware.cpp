// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "../pattern/patterns.hpp"
#include "../pattern/schedules.hpp"
#include "../replay/replay_both_ways.hpp"
#include "../replay/small_platform.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/graph/traffic.hpp"
#include "sim/pattern/layout.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/variant.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::graph;
using namespace finegrain::model;
using namespace finegrain::pattern;
using namespace finegrain::platform;
using namespace finegrain::policy;
using namespace finegrain::problem;

namespace {

const Variant send{"node-aware", Transfer::two_sided, Completion::together};
const Variant put{"node-aware", Transfer::put, Completion::together};
const Variant condensed{"condensed", Transfer::two_sided, Completion::together};

/// Ranks 0 to 3 own the elements {0 1} {2 3} | {4 5} {6 7}, on two nodes. In parentheses what other ranks
/// own. Rank 1 speaks with the other node for the first, rank 2 for the second.
const test::MatrixPattern eight_rows{8,
                                     2,
                                     {4, 0,    // row 0: (4)
                                      1, 1,    // row 1
                                      1, 2,    // row 2: (1)
                                      3, 3,    // row 3
                                      0, 4,    // row 4: (0)
                                      5, 5,    // row 5
                                      0, 2,    // row 6: (0) (2)
                                      7, 7}};  // row 7

Run run_of(const test::MatrixPattern& matrix, const Variant& variant, int ranks, int ranks_per_node,
           std::int64_t block_size) {
  return {.problem = SpmvProblem{"", "", matrix.rows, matrix.r_nz, block_size},
          .policy = variant.policy,
          .transfer = variant.transfer,
          .completion = variant.completion,
          .ranks = ranks,
          .ranks_per_node = ranks_per_node};
}

Schedule small_schedule(const Variant& variant) {
  return spmv_schedule(eight_rows.view(), run_of(eight_rows, variant, 4, 2, 2));
}

struct Case {
  test::MatrixPattern matrix;
  int ranks;
  int ranks_per_node;
  std::int64_t block_size;
};

/// Nodes of one rank, one node, a last node with fewer ranks, more nodes than ranks a node, ranks without
/// rows.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& matrix : {test::banded_pattern(331, 4, 40, 3), test::random_pattern(211, 3, 1)})
    for (const std::int64_t block_size : {1, 8, 64})
      for (const auto& [ranks, ranks_per_node] :
           {std::pair(7, 3), {7, 1}, {7, 16}, {12, 4}, {21, 2}, {33, 8}, {1, 1}})
        all.push_back({matrix, ranks, ranks_per_node, block_size});
  return all;
}

Schedule schedule_of(const Case& of, const Variant& variant) {
  return spmv_schedule(of.matrix.view(),
                       run_of(of.matrix, variant, of.ranks, of.ranks_per_node, of.block_size));
}

Volume between_nodes(const std::vector<RankTraffic>& traffic) {
  Volume all;
  for (const RankTraffic& rank : traffic)
    all += rank.out_remote;
  return all;
}

const Work& unpacking_of(const Body& body) {
  for (const Region& region : body.regions)
    if (region.name == regions::unpack) return std::get<Work>(body.operations_of(region).front());
  throw std::runtime_error("no unpack");
}

/// An accesses file that lives as long as the test.
class AccessesFile {
 public:
  explicit AccessesFile(const std::string& lines)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("finegrain-node-aware-{}.csv", ::getpid())) {
    std::ofstream(path_) << lines;
  }
  ~AccessesFile() { std::filesystem::remove(path_); }
  AccessesFile(const AccessesFile&) = delete;
  AccessesFile& operator=(const AccessesFile&) = delete;

  Schedule schedule(const Variant& variant, int ranks_per_node) const {
    const auto pattern = pattern_kind("accesses").open(path_.string(), "--accesses");
    const int ranks = *pattern->ranks({});
    return make_schedule(*pattern, {.problem = pattern->problem(ranks, {}),
                                    .policy = variant.policy,
                                    .transfer = variant.transfer,
                                    .completion = variant.completion,
                                    .ranks = ranks,
                                    .ranks_per_node = ranks_per_node});
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("node-aware policy: what two ranks of a node read crosses once, and leaders pass it on") {
  const Schedule schedule = small_schedule(send);
  const auto of = [](TransferKind kind, int peer, int values) { return transfer(kind, peer, values * 8); };
  // Rank 0: element 1 for rank 1 and element 0 for the other node go to rank 1, which brings element 4.
  CHECK(messages_of(schedule.ranks[0]) ==
        std::vector{of(TransferKind::send, 1, 1 + 1), of(TransferKind::receive, 1, 1)});
  CHECK(messages_of(schedule.ranks[1]) ==
        std::vector{of(TransferKind::receive, 0, 1 + 1), of(TransferKind::receive, 2, 1),
                    of(TransferKind::send, 2, 1 + 1), of(TransferKind::send, 0, 1)});
  // Rank 2 reads element 0 itself; rank 3 reads elements 0 and 2.
  CHECK(messages_of(schedule.ranks[2]) == std::vector{of(TransferKind::receive, 1, 1 + 1),
                                                      of(TransferKind::send, 1, 1),
                                                      of(TransferKind::send, 3, 2)});
  CHECK(messages_of(schedule.ranks[3]) == std::vector{of(TransferKind::receive, 2, 2)});
}

TEST_CASE("node-aware policy: work is what is packed, put together, packed again and unpacked") {
  const auto work_of = [](const Body& body, std::string_view name) {
    for (const Region& region : body.regions)
      if (region.name.text() == name) return std::get<Work>(body.operations_of(region).front());
    throw std::runtime_error("no such region");
  };
  const Schedule schedule = small_schedule(put);
  const auto bytes = [&](std::size_t rank, std::string_view name) {
    return work_of(schedule.ranks[rank], name).memory_bytes;
  };
  CHECK(bytes(0, "pack") == (1 + 1) * (2 * 8 + 4));
  CHECK(bytes(1, "pack") == 1 * (2 * 8 + 4));  // element 2, where the message to the other node is made
  CHECK(bytes(1, "gather") == 1 * 2 * 8);      // element 0
  CHECK(bytes(2, "gather") == 0);              // element 4 is its own
  CHECK(bytes(1, "scatter") == 1 * (2 * 8 + 4));
  CHECK(bytes(2, "scatter") == (1 + 2) * (2 * 8 + 4));  // element 0 for itself
  CHECK(bytes(3, "unpack") == 2 * (8 + 4 + 64));
}

TEST_CASE("node-aware policy: simulated, the rounds follow one another") {
  SmallPlatform platform(switched(2));
  platform.costs().memory_bandwidth_bytes_per_s = 1e18;
  platform.costs().memory_bandwidth_per_core_bytes_per_s = 1e18;
  platform.costs().local_latency_s = 1e-6;
  platform.costs().message_overhead_s = 5e-6;
  const auto result = replay_both_ways(small_schedule(send), *platform);
  // Rank 1 has rank 0's values after 1 us. Its message to rank 2 takes 5 us and, 16 B at 1 MB/s, 16 us.
  CHECK(result.ranks[1].finish_s == Approx(1e-6 + 5e-6 + 16e-6).epsilon(1e-6));
  CHECK(result.ranks[2].finish_s == Approx(1e-6 + 5e-6 + 16e-6).epsilon(1e-6));
  // Then the leaders pass on what they got.
  CHECK(result.ranks[0].finish_s == Approx(1e-6 + 5e-6 + 16e-6 + 1e-6).epsilon(1e-6));
  CHECK(result.ranks[3].finish_s == Approx(1e-6 + 5e-6 + 16e-6 + 1e-6).epsilon(1e-6));
}

TEST_CASE("node-aware policy: both simulations agree on every variant") {
  SmallPlatform platform(switched(4, "3us"));
  platform.costs().local_latency_s = 1e-6;
  platform.costs().message_overhead_s = 5e-6;
  const Case of{test::banded_pattern(331, 4, 40, 3), 15, 4, 8};
  for (const Variant& variant : policy::policy("node-aware").variants(pattern_kind("spmv"))) {
    Schedule schedule = schedule_of(of, variant);
    schedule.run.iterations = 3;
    replay_both_ways(schedule, *platform);
  }
}

TEST_CASE(
    "node-aware policy: at most a message a pair of nodes, and no more bytes between nodes than condensed") {
  for (const Case& each : cases()) {
    const int nodes = Placement(each.ranks, each.ranks_per_node).nodes();
    const Volume usual = between_nodes(traffic_of(schedule_of(each, condensed)));
    for (const Variant& variant : {send, put}) {
      CAPTURE(each.ranks, each.ranks_per_node, each.block_size);
      const Volume found = between_nodes(traffic_of(schedule_of(each, variant)));
      CHECK(found.messages <= std::int64_t{nodes} * (nodes - 1));
      CHECK(found.messages <= usual.messages);
      CHECK(found.bytes <= usual.bytes);
      CHECK((found.messages == 0) == (usual.messages == 0));
    }
  }
}

TEST_CASE("node-aware policy: where every rank has a node to itself, the messages are condensed's") {
  for (const Case& each : cases()) {
    if (each.ranks_per_node != 1) continue;
    const Schedule schedule = schedule_of(each, send);
    const Schedule usual = schedule_of(each, condensed);
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
      CHECK(messages_of(schedule.ranks[rank]) == messages_of(usual.ranks[rank]));
  }
}

TEST_CASE("node-aware policy: each rank unpacks as many values as with condensed, and computes as much") {
  for (const Case& each : cases()) {
    const Schedule usual = schedule_of(each, condensed);
    for (const Variant& variant : {send, put}) {
      const Schedule schedule = schedule_of(each, variant);
      for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
        CHECK(unpacking_of(schedule.ranks[rank]) == unpacking_of(usual.ranks[rank]));
    }
  }
}

TEST_CASE("node-aware policy: what reaches a leader or a rank of its node is what its node needs") {
  const Case each{test::random_pattern(211, 3, 1), 12, 4, 8};
  const Run run = run_of(each.matrix, send, each.ranks, each.ranks_per_node, each.block_size);
  const auto counts = count_accesses(each.matrix.view(), layout_of(run));
  std::int64_t needed = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    for (const PeerCounts& need : counts[rank].needs)
      if (need.peer / 4 != static_cast<int>(rank) / 4) needed += need.node_values;
  CHECK(between_nodes(traffic_of(schedule_of(each, send))).bytes == needed * 8);
}

TEST_CASE(
    "node-aware policy: the overlapped variants compute the same rows, part of them while messages fly") {
  for (const Case& each : cases()) {
    for (const Transfer transfer : {Transfer::two_sided, Transfer::put}) {
      const Schedule together = schedule_of(each, {"node-aware", transfer, Completion::together});
      const Schedule overlapped = schedule_of(each, {"node-aware", transfer, Completion::overlapped});
      for (std::size_t rank = 0; rank < together.ranks.size(); ++rank) {
        CHECK(messages_of(overlapped.ranks[rank]) == messages_of(together.ranks[rank]));
        CHECK(memory_bytes(overlapped.ranks[rank].operations) ==
              memory_bytes(together.ranks[rank].operations));
      }
    }
  }
}

TEST_CASE("node-aware policy: of an accesses file, bytes that two ranks of a node read cross once") {
  // Ranks 0 and 1 are a node, 2 and 3 the other: 2 reads bytes 0 to 24 of rank 0, 3 reads bytes 16 to 40.
  const AccessesFile file("2,0,0,24,read,0\n3,0,16,24,read,0\n3,2,0,8,read,0\n");
  const auto traffic = traffic_of(file.schedule(send, 2));
  CHECK(between_nodes(traffic) == Volume{1, 40});
  CHECK(between_nodes(traffic_of(file.schedule(condensed, 2))) == Volume{2, 24 + 24});
  // Rank 0 to the leader of its node, rank 1; rank 2, which leads the other, to rank 3, what it owns and what
  // it got.
  CHECK(traffic[0].out_local == Volume{1, 40});
  CHECK(traffic[2].out_local == Volume{2, 8 + 24});
}

TEST_CASE("node-aware policy: what is written is refused, and heat has no such variant") {
  const AccessesFile file("1,0,0,8,write,0\n");
  CHECK_THROWS_WITH(file.schedule(send, 2),
                    Catch::Matchers::Contains("node-aware is for ranks that only read"));
  CHECK(policy::policy("node-aware").variants(pattern_kind("heat")).empty());
}

TEST_CASE("node-aware policy: the closed form of two nodes, computed by hand") {
  PlatformCosts costs;
  costs.memory_bandwidth_bytes_per_s = 200;
  costs.memory_bandwidth_per_core_bytes_per_s = 50;  // 2 ranks a node: W_private is 50 B/s
  costs.cache_line_bytes = 64;
  costs.tau_s = 3;
  costs.remote_bandwidth_bytes_per_s = 16;
  const Run run = run_of(eight_rows, send, 4, 2, 2);
  const auto counts = count_accesses(eight_rows.view(), layout_of(run));
  const auto prediction = predict(run, counts, costs);
  REQUIRE(prediction);
  const auto seconds = [](double bytes) { return bytes / 50; };
  // Node 0: rank 0 packs and sends 2 values, rank 1 puts 1 together, sends a message of 2 between the nodes,
  // packs 1 again and sends it on.
  const double first = seconds(2 * 20) + seconds(2 * 16) + seconds(1 * 16) + 3 + 2 * 8 / 16. +
                       seconds(1 * 20) + seconds(1 * 16);
  // Node 1: rank 2 packs 1, sends it between the nodes, packs 3 again and sends 2 on.
  const double second = seconds(1 * 20) + 3 + 1 * 8 / 16. + seconds(3 * 20) + seconds(2 * 16);
  CHECK(prediction->nodes_s[0] == Approx(first));
  CHECK(prediction->nodes_s[1] == Approx(second));
  // Rank 3 copies 2 values, unpacks 2, and multiplies 2 rows.
  const double rank = seconds(2 * 16) + seconds(2 * (12 + 64)) + seconds(2 * (2 * 12 + 24));
  CHECK(prediction->rank == 3);
  CHECK(prediction->total_s == Approx(std::max(first, second) + rank));
}

TEST_CASE(
    "node-aware policy: the closed form counts the messages and bytes of the programs, wherever ranks run") {
  for (const Case& each : cases()) {
    const Run run = run_of(each.matrix, send, each.ranks, each.ranks_per_node, each.block_size);
    const auto counts = count_accesses(each.matrix.view(), layout_of(run));
    const Schedule schedule = schedule_of(each, send);
    for (const Placement& placement :
         {Placement(each.ranks, each.ranks_per_node), cyclic_placement(each.ranks, each.ranks_per_node)}) {
      const Formula formula = formula_of(run, counts, ClosedForm::as_published, placement);
      const auto traffic = traffic_of(schedule, placement);
      for (std::size_t rank = 0; rank < traffic.size(); ++rank) {
        double messages = 0;
        double remote = 0;
        double local = 0;
        for (const FormulaTerm& term : formula.terms) {
          if (term.cost == Cost::tau) messages += term.counts[rank];
          if (term.cost == Cost::remote_bytes) remote += term.counts[rank];
          if (term.part == "local") local += term.counts[rank];
        }
        CHECK(static_cast<std::int64_t>(messages) == traffic[rank].out_remote.messages);
        CHECK(static_cast<std::int64_t>(remote) * 8 == traffic[rank].out_remote.bytes);
        CHECK(static_cast<std::int64_t>(local) * 8 == traffic[rank].out_local.bytes);
      }
    }
  }
}

TEST_CASE("node-aware policy: what a rank exchanges with each other is all that it sends") {
  const Case each{test::banded_pattern(331, 4, 40, 3), 12, 4, 8};
  const Run run = run_of(each.matrix, send, each.ranks, each.ranks_per_node, each.block_size);
  const auto counts = count_accesses(each.matrix.view(), layout_of(run));
  const Placement placement(each.ranks, each.ranks_per_node);
  const Formula formula = formula_of(run, counts, ClosedForm::as_published, placement);
  for (int rank = 0; rank < each.ranks; ++rank) {
    std::vector<double> sums(formula.terms.size());
    for (int peer = 0; peer < each.ranks; ++peer) {
      if (peer == rank) continue;
      const auto between = counts_with_peer(run, counts, ClosedForm::as_published, placement, rank, peer);
      REQUIRE(between.size() == sums.size());
      for (std::size_t term = 0; term < sums.size(); ++term)
        sums[term] += between[term];
    }
    for (std::size_t term = 0; term < sums.size(); ++term) {
      const std::string& part = formula.terms[term].part;
      if (part == "local" || part == "remote")
        CHECK(sums[term] == formula.terms[term].counts[static_cast<std::size_t>(rank)]);
    }
  }
}
