// SPDX-License-Identifier: MIT
#include "sim/tune/more_nodes.hpp"

#include <catch2/catch.hpp>
#include <list>

#include "kernels/problem/spmv_problem.hpp"

using namespace finegrain;
using namespace finegrain::problem;
using namespace finegrain::study;
using namespace finegrain::tune;

namespace {

/// Two programs, of which a simulation says what the function does.
class Nodes {
 public:
  using TimeOf = std::function<double(std::size_t program, std::int64_t nodes)>;

  Nodes(std::int64_t most_first, TimeOf time_s) : time_s_(std::move(time_s)) {
    for (std::int64_t nodes = 1; nodes <= most_first; nodes *= 2)
      for (Candidate& candidate : on(nodes)) {
        candidate.screened.total_s = time_of(candidate);
        candidates_.push_back(candidate);
      }
  }

  /// @returns what try_more_nodes() does
  bool go_on(std::int64_t hosts, std::size_t most_rounds = 1000) {
    const MoreNodes more{.hosts = {hosts},
                         .on_nodes = [&](std::size_t, std::int64_t nodes) { return on(nodes); }};
    return try_more_nodes(candidates_, more, [&](const std::vector<Candidate*>& round, Depth depth) {
      REQUIRE(depth == Depth::few);
      if (most_rounds == 0) return false;
      --most_rounds;
      for (Candidate* candidate : round)
        candidate->screened.total_s = time_of(*candidate);
      return true;
    });
  }

  std::vector<std::int64_t> simulated(std::size_t program) const {
    std::vector<std::int64_t> nodes;
    for (const Candidate& candidate : candidates_)
      if (candidate.screened.total_s && candidate.point->position(Axis::policy) == program)
        nodes.push_back(nodes_of(candidate.point->run));
    return nodes;
  }

 private:
  std::vector<Candidate> on(std::int64_t nodes) {
    std::vector<Candidate> candidates;
    for (std::size_t program = 0; program < 2; ++program) {
      StudyPoint& point = points_.emplace_back();
      point.positions[static_cast<std::size_t>(Axis::policy)] = program;
      point.run = {.problem = SpmvProblem{"m", "", 1 << 20, 8, 256},
                   .policy = program == 0 ? "condensed" : "individual",
                   .ranks = static_cast<int>(4 * nodes),
                   .ranks_per_node = 4};
      candidates.push_back({&point, {}, {}, {}, {}});
    }
    return candidates;
  }
  double time_of(const Candidate& candidate) const {
    return time_s_(candidate.point->position(Axis::policy), nodes_of(candidate.point->run));
  }

  TimeOf time_s_;
  std::list<StudyPoint> points_;
  std::vector<Candidate> candidates_;
};

double halving(std::size_t program, std::int64_t nodes) {
  return (program == 0 ? 1.0 : 100.0) / static_cast<double>(nodes);
}

}  // namespace

TEST_CASE("more nodes: tried as long as they gain, up to all that there are") {
  Nodes all(16, halving);
  CHECK(all.go_on(96));
  CHECK(all.simulated(0) == std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64, 96});
  // A hundred times slower: on more nodes it cannot win.
  CHECK(all.simulated(1) == std::vector<std::int64_t>{1, 2, 4, 8, 16});
}

TEST_CASE("more nodes: not tried where the most gain nothing") {
  Nodes four_are_best(16, [](std::size_t, std::int64_t nodes) {
    return 1.0 / static_cast<double>(nodes) + static_cast<double>(nodes) / 16;
  });
  CHECK(four_are_best.go_on(128));
  CHECK(four_are_best.simulated(0) == std::vector<std::int64_t>{1, 2, 4, 8, 16});
}

TEST_CASE("more nodes: one that scales better than the best is tried on") {
  Nodes overtaking(16, [](std::size_t program, std::int64_t nodes) {
    return program == 0 ? 1.0 / 16 + 0.1 / static_cast<double>(nodes) : 2.0 / static_cast<double>(nodes);
  });
  CHECK(overtaking.go_on(64));
  CHECK(overtaking.simulated(1) == std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64});
}

TEST_CASE("more nodes: where time is up while they gain, it is said") {
  Nodes all(16, halving);
  CHECK_FALSE(all.go_on(128, 1));
  CHECK(all.simulated(0).back() == 32);
}
