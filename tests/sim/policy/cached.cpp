// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "../pattern/patterns.hpp"
#include "../pattern/schedules.hpp"
#include "../replay/replay_both_ways.hpp"
#include "../replay/small_platform.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/graph/traffic.hpp"
#include "sim/pattern/layout.hpp"
#include "sim/policy/closed_form.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::model;
using namespace finegrain::pattern;
using namespace finegrain::platform;
using namespace finegrain::policy;
using namespace finegrain::problem;

namespace {

Settings settings(std::int64_t line, std::int64_t lines, std::int64_t ways = 1, std::int64_t victim = 0) {
  return {{"line", line}, {"lines", lines}, {"ways", ways}, {"victim", victim}};
}
constexpr std::int64_t infinite = std::int64_t{1} << 40;

Settings through(Settings settings) {
  settings["writes"] = std::string("through");
  return settings;
}

struct CachedCase {
  test::MatrixPattern matrix;
  int ranks;
  int ranks_per_node;
  std::int64_t block_size;
};

/// Parts that end within a line, ranks without rows, one rank.
std::vector<CachedCase> cases() {
  std::vector<CachedCase> all;
  for (const auto& matrix : {test::banded_pattern(331, 4, 40, 3), test::random_pattern(211, 3, 1)})
    for (const std::int64_t block_size : {1, 8, 64})
      for (const auto& [ranks, ranks_per_node] : {std::pair(7, 3), {12, 4}, {33, 8}, {1, 1}})
        all.push_back({matrix, ranks, ranks_per_node, block_size});
  return all;
}

Run run_of(const CachedCase& of, const Settings& settings, const std::string& policy = "cached") {
  return {.problem = SpmvProblem{"", "", of.matrix.rows, of.matrix.r_nz, of.block_size},
          .policy = policy,
          .policy_settings = settings,
          .transfer = Transfer::get,
          .completion = Completion::each,
          .ranks = of.ranks,
          .ranks_per_node = of.ranks_per_node};
}

/// What a rank gets of each other one.
std::map<std::int32_t, Volume> fetched(const Body& body) {
  std::map<std::int32_t, Volume> of_peers;
  for_each_post(body.operations, [&](const Post& post) {
    if (post.kind == TransferKind::load) of_peers[post.peer] += {post.repeat, post.repeat * post.size_bytes};
  });
  return of_peers;
}

std::int64_t hits_of(const Body& body) {
  std::int64_t hits = 0;
  for (const Operation& operation : body.operations)
    if (const auto* work = std::get_if<Work>(&operation)) hits += work->calls;
  return hits;
}

std::int64_t accesses_of(const RankCounts& rank) {
  std::int64_t all = 0;
  for (const PeerCounts& need : rank.needs)
    all += need.accesses;
  return all;
}

/// An accesses file that lives as long as the test.
class AccessesFile {
 public:
  explicit AccessesFile(const std::string& lines)
      : path_(std::filesystem::temp_directory_path() / fmt::format("finegrain-cached-{}.csv", ::getpid())) {
    std::ofstream(path_) << lines;
  }
  ~AccessesFile() { std::filesystem::remove(path_); }
  AccessesFile(const AccessesFile&) = delete;
  AccessesFile& operator=(const AccessesFile&) = delete;

  /// The body of rank 0.
  Body body(const Settings& settings) const {
    const auto pattern = pattern_kind("accesses").open(path_.string(), "--accesses");
    const int ranks = *pattern->ranks({});
    return make_schedule(*pattern, {.problem = pattern->problem(ranks, {}),
                                    .policy = "cached",
                                    .policy_settings = settings,
                                    .transfer = Transfer::get,
                                    .completion = Completion::each,
                                    .ranks = ranks})
        .ranks[0];
  }

 private:
  std::filesystem::path path_;
};

std::vector<std::string> names_of(const Body& body) {
  std::vector<std::string> names;
  for (const Region& region : body.regions)
    names.emplace_back(region.name.text());
  return names;
}

Post load(int peer, std::int64_t size_bytes, std::int64_t repeat = 1) {
  return transfer(TransferKind::load, peer, size_bytes, repeat);
}
Post put(int peer, std::int64_t size_bytes, std::int64_t repeat = 1) {
  return transfer(TransferKind::put, peer, size_bytes, repeat);
}

}  // namespace

TEST_CASE("cached policy: successive doubles are one message a line, and hits between") {
  std::string lines;
  for (int i = 0; i < 300; ++i)
    lines += fmt::format("0,1,{},8,read,0\n", 8 * i);
  const Body body = AccessesFile(lines).body(settings(1024, 256));
  CHECK(messages_of(body) == std::vector{load(1, 1024, 3)});  // 300 * 8 B are 2.3 lines
  CHECK(hits_of(body) == 300 - 3);
  CHECK(names_of(body) == std::vector<std::string>{"compute", "barrier"});
}

TEST_CASE(
    "cached policy: an access across two lines is two, and one larger than a line goes past the cache") {
  const Body body =
      AccessesFile("0,1,60,8,read,0\n0,1,0,8,read,0\n0,1,64,8,read,0\n0,1,128,65,read,0\n0,1,128,8,read,0\n")
          .body(settings(64, 256));
  CHECK(messages_of(body) == std::vector{load(1, 64, 2), load(1, 65), load(1, 64)});
  CHECK(hits_of(body) == 2);
}

TEST_CASE("cached policy: a line that was written to goes back with its mask when another takes its place") {
  const AccessesFile file("0,1,0,8,write,0\n0,1,262144,8,read,0\n0,1,0,8,read,0\n");
  const Body body = file.body(settings(1024, 256));
  CHECK(messages_of(body) == std::vector{load(1, 1024, 2), put(1, 1024 + 1024 / 8), load(1, 1024)});
  CHECK(hits_of(body) == 0);
  // A victim stays until the fence.
  const Body kept = file.body(settings(1024, 256, 1, 1));
  CHECK(messages_of(kept) == std::vector{load(1, 1024, 2), put(1, 1024 + 1024 / 8)});
  CHECK(names_of(kept) == std::vector<std::string>{"compute", "put", "barrier"});
  CHECK(hits_of(kept) == 1);
}

TEST_CASE("cached policy: a fence sends each owner its written lines in one message, and empties the cache") {
  const Body body = AccessesFile(
                        "0,2,0,8,write,0\n0,1,8,8,write,0\n0,1,3000,8,write,0\n0,1,5000,8,read,0\n"
                        "0,1,8,8,read,1\n")
                        .body(settings(1024, 256));
  const Post line = load(1, 1024);
  CHECK(messages_of(body) ==
        std::vector{load(2, 1024), load(1, 1024, 3), put(1, 2 * (1024 + 128)), put(2, 1024 + 128), line});
  CHECK(names_of(body) == std::vector<std::string>{"compute", "put", "barrier", "compute", "barrier"});
}

TEST_CASE("cached policy: written through, each write goes at once, and all are waited for at the fence") {
  const Body body =
      AccessesFile("0,1,0,8,write,0\n0,1,8,8,write,0\n0,1,16,8,read,0\n").body(through(settings(1024, 256)));
  CHECK(messages_of(body) == std::vector{load(1, 1024), put(1, 8, 2)});
  CHECK(names_of(body) == std::vector<std::string>{"compute", "wait", "barrier"});
  CHECK(hits_of(body) == 2);
  for_each_post(body.operations,
                [&](const Post& post) { CHECK(post.blocking == (post.kind == TransferKind::load)); });
}

TEST_CASE("cached policy: hits and messages are all accesses, and the counts are the programs'") {
  for (const CachedCase& each : cases()) {
    for (const Settings& shape : {settings(8, 4), settings(64, 4), settings(64, 4, 2), settings(64, 4, 4, 1),
                                  settings(128, 2, 1, 3)}) {
      const Run run = run_of(each, shape);
      const auto pattern = spmv_of(each.matrix.view());
      const Placement placement(each.ranks, each.ranks_per_node);
      const auto counts = counts_of(*pattern, {&run, 1}, {&placement, 1}, 1).front();
      const Schedule schedule = spmv_schedule(each.matrix.view(), run);
      std::int64_t messages = 0;
      for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        const std::map<std::int32_t, Volume> of_peers = fetched(schedule.ranks[rank]);
        std::int64_t fetches = 0;
        for (const PeerCounts& need : counts[rank].needs) {
          CHECK(of_peers.at(need.peer) == Volume{need.fetches, need.fetched_bytes});
          fetches += need.fetches;
        }
        CHECK(of_peers.size() == counts[rank].needs.size());
        CHECK(hits_of(schedule.ranks[rank]) == counts[rank].calls);
        CHECK(counts[rank].calls + fetches == accesses_of(counts[rank]));
        messages += fetches;
      }
      CHECK(policy::policy(run).messages(run, counts) == messages);
    }
  }
}

TEST_CASE("cached policy: without lines, its programs are those of individual") {
  for (const CachedCase& each : cases())
    CHECK(spmv_schedule(each.matrix.view(), run_of(each, settings(1024, 0))).ranks ==
          spmv_schedule(each.matrix.view(), run_of(each, {}, "individual")).ranks);
}

TEST_CASE("cached policy: lines of one element bring each value once, as condensed does") {
  for (const CachedCase& each : cases()) {
    const Schedule schedule = spmv_schedule(each.matrix.view(), run_of(each, settings(8, infinite)));
    const auto counts = count_accesses(each.matrix.view(), layout_of(schedule.run));
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      const std::map<std::int32_t, Volume> of_peers = fetched(schedule.ranks[rank]);
      CHECK(of_peers.size() == counts[rank].needs.size());
      for (const PeerCounts& need : counts[rank].needs)
        CHECK(of_peers.at(need.peer) == Volume{need.values, need.values * 8});
    }
  }
}

TEST_CASE("cached policy: lines of a block's size, as many as there are, bring the blocks that block does") {
  for (const CachedCase& each : cases()) {
    const Run run = run_of(each, settings(each.block_size * 8, infinite));
    const Schedule schedule = spmv_schedule(each.matrix.view(), run);
    const auto counts = count_accesses(each.matrix.view(), layout_of(run));
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      const std::map<std::int32_t, Volume> of_peers = fetched(schedule.ranks[rank]);
      CHECK(of_peers.size() == counts[rank].needs.size());
      for (const PeerCounts& need : counts[rank].needs)
        CHECK(of_peers.at(need.peer) == Volume{need.blocks, need.block_values * 8});
    }
  }
}

TEST_CASE("cached policy: both simulations agree, and a hit takes its time") {
  SmallPlatform platform(switched(4, "3us"));
  platform.costs().local_latency_s = 1e-6;
  platform.costs().message_overhead_s = 5e-6;
  const CachedCase of{test::banded_pattern(331, 4, 40, 3), 12, 4, 8};
  const Schedule schedule = spmv_schedule(of.matrix.view(), run_of(of, settings(64, 4)));
  const auto free_hits = replay_both_ways(schedule, *platform);
  platform.costs().call_s = 1;
  const auto costly_hits = replay_both_ways(schedule, *platform);
  std::int64_t most = 0;
  for (const Body& body : schedule.ranks)
    most = std::max(most, hits_of(body));
  CHECK(costly_hits.total_s == Approx(static_cast<double>(most)).epsilon(1e-3));
  CHECK(free_hits.total_s < 1);
}

TEST_CASE("cached policy: the closed form of a rank that reads of two others, computed by hand") {
  PlatformCosts costs;
  costs.memory_bandwidth_bytes_per_s = 200;
  costs.memory_bandwidth_per_core_bytes_per_s = 50;  // 2 ranks a node: W_private is 50 B/s
  costs.cache_line_bytes = 64;
  costs.tau_s = 3;
  costs.remote_bandwidth_bytes_per_s = 16;
  costs.call_s = 0.5;
  // Ranks 0 to 3 own 20 elements each. Rank 0 alone reads of others: elements 20, 21 and 36 of rank 1 on its
  // node, and elements 79 and 79 of rank 3.
  CachedCase of{{80, 5, {}}, 4, 2, 20};
  for (std::int32_t row = 0; row < 80; ++row)
    of.matrix.columns.insert(of.matrix.columns.end(), 5, row);
  std::ranges::copy(std::vector{20, 21, 36, 79, 79}, of.matrix.columns.begin());
  const auto seconds = [&](const Settings& shape) {
    const Run run = run_of(of, shape);
    const Placement placement(of.ranks, of.ranks_per_node);
    const auto counts = counts_of(*spmv_of(of.matrix.view()), {&run, 1}, {&placement, 1}, 1).front();
    return predict(run, counts, costs)->total_s;
  };
  const double compute = 20 * (5 * 12 + 24) / 50.;
  // Lines of 16 elements: of rank 1 the first, whole, and the second, which has 4; of rank 3 the second.
  CHECK(seconds(settings(128, 256)) == Approx(compute + 2 * 0.5 + 2 * (16 + 4) * 8 / 50. + 3 + 4 * 8 / 16.));
  // Lines of an element: each costs a cache line within the node.
  CHECK(seconds(settings(8, 256)) == Approx(compute + 1 * 0.5 + 3 * 64 / 50. + 3 + 1 * 8 / 16.));
  // Each access is one.
  CHECK(seconds(settings(1024, 0)) == Approx(compute + 3 * 64 / 50. + 2 * (3 + 8 / 16.)));
}

TEST_CASE("cached policy: what a rank exchanges with each other is all that it gets and finds") {
  const CachedCase each{test::banded_pattern(331, 4, 40, 3), 12, 4, 8};
  const Run run = run_of(each, settings(64, 4));
  const Placement placement(each.ranks, each.ranks_per_node);
  const auto counts = counts_of(*spmv_of(each.matrix.view()), {&run, 1}, {&placement, 1}, 1).front();
  const Formula formula = formula_of(run, counts, ClosedForm::as_published, placement);
  for (int rank = 0; rank < each.ranks; ++rank) {
    std::vector<double> sums(formula.terms.size());
    for (int peer = 0; peer < each.ranks; ++peer) {
      if (peer == rank) continue;
      const auto between = counts_with_peer(run, counts, ClosedForm::as_published, placement, rank, peer);
      for (std::size_t term = 0; term < sums.size(); ++term)
        sums[term] += between[term];
    }
    for (std::size_t term = 1; term < sums.size(); ++term)  // the first is the rank's own work
      CHECK(sums[term] == formula.terms[term].counts[static_cast<std::size_t>(rank)]);
  }
}

TEST_CASE("cached policy: shapes that are none are refused") {
  const CachedCase of{test::banded_pattern(31, 4, 9, 3), 2, 2, 16};
  const auto schedule = [&](const Settings& shape) {
    return spmv_schedule(of.matrix.view(), run_of(of, shape));
  };
  CHECK_THROWS_WITH(schedule(settings(12, 4)), Catch::Matchers::Contains("does not hold whole doubles"));
  CHECK_THROWS_WITH(schedule(settings(64, 4, 3)), Catch::Matchers::Contains("4 lines are no sets of 3 ways"));
  CHECK_THROWS_AS(schedule(settings(0, 4)), InputError);
  CHECK_THROWS_AS(schedule(settings(64, -1)), InputError);
  CHECK_THROWS_AS(schedule(settings(64, 4, 1, -1)), InputError);
}

TEST_CASE("cached policy: successive words of another node cost a hit each, and a round trip a line") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().message_overhead_s = 5e-6;
  platform.costs().call_s = 1e-6;
  const auto pattern = pattern_kind("streaming").open("256", "--streaming-accesses");
  const auto seconds = [&](const std::string& policy) {
    const Run run{.problem = pattern->problem(2, {}),
                  .policy = policy,
                  .transfer = Transfer::get,
                  .completion = Completion::each,
                  .ranks = 2};
    return replay_both_ways(make_schedule(*pattern, run), *platform).ranks[0].finish_s;
  };
  // Two links of 3 us there, two back; 1 MB/s; the latency of the barrier is some us more.
  const double round_trip = 5e-6 + 2 * (3e-6 + 3e-6);
  CHECK(seconds("individual") == Approx(256 * (round_trip + 8e-6)).epsilon(0.01));
  // 256 words are two lines.
  CHECK(seconds("cached") == Approx(2 * (round_trip + 1024e-6) + (256 - 2) * 1e-6).epsilon(0.02));
}
