// SPDX-License-Identifier: MIT
//
// What holds for every variant of every policy.
#include <catch2/catch.hpp>
#include <map>
#include <tuple>
#include <vector>

#include "../pattern/patterns.hpp"
#include "../pattern/schedules.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/graph/rank_graph.hpp"
#include "sim/graph/traffic.hpp"
#include "sim/pattern/layout.hpp"
#include "sim/policy/variant.hpp"

using namespace finegrain;
using namespace finegrain::graph;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using namespace finegrain::problem;

namespace {

struct Case {
  test::MatrixPattern matrix;
  std::int64_t block_size;
  int ranks;
  int ranks_per_node;
};

/// An uneven last node, one rank a node, one node, ranks without rows.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& matrix : {test::banded_pattern(211, 4, 40, 3), test::random_pattern(101, 3, 1)})
    for (const std::int64_t block_size : {1, 8, 100})
      for (const auto& [ranks, ranks_per_node] : {std::pair(7, 3), {7, 1}, {7, 16}, {12, 4}, {1, 1}})
        all.push_back({matrix, block_size, ranks, ranks_per_node});
  return all;
}

Run run_of(const Case& of, const Variant& variant) {
  return {.problem = SpmvProblem{"", "", of.matrix.rows, of.matrix.r_nz, of.block_size},
          .policy = variant.policy,
          .transfer = variant.transfer,
          .completion = variant.completion,
          .ranks = of.ranks,
          .ranks_per_node = of.ranks_per_node};
}

}  // namespace

TEST_CASE("every policy: what one rank sends, the other receives, in the same order") {
  for (const Case& each : cases()) {
    for (const Variant& variant : variants(pattern_kind("spmv"))) {
      const Schedule schedule = spmv_schedule(each.matrix.view(), run_of(each, variant));
      std::map<std::tuple<int, int, int>, std::vector<std::int64_t>> sent;  // by from, to and tag
      std::map<std::tuple<int, int, int>, std::vector<std::int64_t>> received;
      for (int rank = 0; rank < each.ranks; ++rank) {
        for_each_post(schedule.ranks[static_cast<std::size_t>(rank)].operations, [&](const Post& post) {
          if (post.kind == TransferKind::send) sent[{rank, post.peer, post.tag}].push_back(post.size_bytes);
          if (post.kind == TransferKind::receive)
            received[{post.peer, rank, post.tag}].push_back(post.size_bytes);
        });
      }
      CAPTURE(describe(schedule.run), each.ranks, each.ranks_per_node, each.block_size);
      CHECK(sent == received);
    }
  }
}

TEST_CASE("every policy: all ranks go through the same regions, and meet as often") {
  const auto names = [](const Body& body) {
    std::vector<RegionName> all;
    for (const Region& region : body.regions)
      all.push_back(region.name);
    return all;
  };
  for (const Case& each : cases()) {
    for (const Variant& variant : variants(pattern_kind("spmv"))) {
      const Schedule schedule = spmv_schedule(each.matrix.view(), run_of(each, variant));
      CAPTURE(describe(schedule.run), each.ranks, each.ranks_per_node, each.block_size);
      for (const Body& body : schedule.ranks)
        CHECK(names(body) == names(schedule.ranks.front()));
    }
  }
}

TEST_CASE(
    "every policy: the counts give as many messages, and as many bytes from rank to rank, as it posts") {
  for (const Case& each : cases()) {
    for (const Variant& variant : variants(pattern_kind("spmv"))) {
      const Run run = run_of(each, variant);
      const Placement placement(each.ranks, each.ranks_per_node);
      const auto counts =
          policy::counts_of(*spmv_of(each.matrix.view()), {&run, 1}, {&placement, 1}, 1).front();
      const Schedule schedule = spmv_schedule(each.matrix.view(), run, counts);
      CAPTURE(describe(run), each.ranks, each.ranks_per_node, each.block_size);
      std::int64_t messages = 0;
      for (const RankTraffic& rank : traffic_of(schedule))
        messages += rank.in_local.messages + rank.in_remote.messages;
      CHECK(policy::policy(run).messages(run, counts) == messages);
      std::map<std::pair<int, int>, Volume> posted;
      std::map<std::pair<int, int>, Volume> counted;
      const RankGraph graph = rank_graph(schedule);
      for (const auto edge : boost::make_iterator_range(boost::edges(graph)))
        posted[{static_cast<int>(boost::source(edge, graph)), static_cast<int>(boost::target(edge, graph))}] =
            graph[edge];
      policy::policy(run).volumes(run, counts, [&](int from, int to, const Volume& volume) {
        counted[{from, to}] += volume;
      });
      CHECK(counted == posted);
    }
  }
}
