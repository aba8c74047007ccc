// SPDX-License-Identifier: MIT
// Locks of windows, and transfers that bring something back.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "listed_programs.hpp"
#include "sim/replay/engine/window_lock.hpp"
#include "small_platform.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

constexpr double latency_s = 2 * 3e-6;  ///< the latency of a route of two links
constexpr double overhead_s = 1e-6;
constexpr double round_trip_s = overhead_s + 2 * latency_s;

Lock take(int peer, bool exclusive) {
  return {.acquire = true, .exclusive = exclusive, .peer = peer};
}
Lock give_back(int peer) {
  return {.acquire = false, .peer = peer};
}

/// Each rank, after some seconds, has rank 0's lock for one second.
ReplayResult replay_holders(const std::vector<double>& work_s, const std::vector<bool>& exclusive,
                            int ranks_per_node = 1) {
  std::vector<Calls> calls;
  for (std::size_t rank = 0; rank < work_s.size(); ++rank)
    calls.push_back({{take(0, exclusive[rank]), work_s[rank]}, {give_back(0), 1}});
  SmallPlatform platform(switched(static_cast<int>(work_s.size()), "3us"));
  platform.costs().message_overhead_s = overhead_s;
  platform.costs().local_latency_s = 1e-7;
  return replay_programs(ListedPrograms(std::move(calls)), *platform, {}, ranks_per_node);
}

}  // namespace

TEST_CASE("window lock: shared ones go together, and nobody overtakes") {
  using Kind = WindowLock::Kind;
  WindowLock lock;
  CHECK(lock.acquire(0, Kind::shared));
  CHECK(lock.acquire(1, Kind::shared));
  CHECK_FALSE(lock.acquire(2, Kind::exclusive));
  CHECK_FALSE(lock.acquire(3, Kind::shared));
  CHECK_FALSE(lock.acquire(4, Kind::shared));
  CHECK(lock.release(0).empty());
  CHECK(lock.release(1) == std::vector<std::size_t>{2});
  CHECK(lock.release(2) == std::vector<std::size_t>{3, 4});
  CHECK(lock.release(9).empty());
}

TEST_CASE("locks: one that is free takes a round trip to the target, and so does giving it back") {
  const ReplayResult result = replay_holders({0, 0.5}, {false, true});
  // A rank's own lock takes no time; the other one waits until rank 0 gives its back, a second after it
  // began.
  CHECK(result.ranks[0].finish_s == Approx(1).epsilon(1e-12));
  CHECK(result.ranks[1].finish_s == Approx(1 + latency_s + 1 + round_trip_s).epsilon(1e-12));
}

TEST_CASE("locks: exclusive ones are served in the order in which they arrive") {
  const ReplayResult result = replay_holders({9, 0.2, 0.1}, {true, true, true});
  const double first_s = 0.1 + round_trip_s + 1 + round_trip_s;
  CHECK(result.ranks[2].finish_s == Approx(first_s).epsilon(1e-12));
  // Rank 1 gets it when rank 2's release has arrived, a latency before rank 2 knows.
  CHECK(result.ranks[1].finish_s ==
        Approx(first_s - latency_s + latency_s + 1 + round_trip_s).epsilon(1e-12));
}

TEST_CASE("locks: shared ones do not wait for one another") {
  const ReplayResult result = replay_holders({0, 0.2, 0.1}, {false, false, false});
  CHECK(result.ranks[1].finish_s == Approx(0.2 + 1 + 2 * round_trip_s).epsilon(1e-12));
  CHECK(result.ranks[2].finish_s == Approx(0.1 + 1 + 2 * round_trip_s).epsilon(1e-12));
}

TEST_CASE("locks: within a node they take the local latency there and back") {
  const ReplayResult result = replay_holders({0, 2}, {true, true}, 2);
  CHECK(result.ranks[1].finish_s == Approx(2 + 1 + 4 * 1e-7).epsilon(1e-12));
}

TEST_CASE("locks: one that is never given back keeps others waiting forever, which is an error") {
  SmallPlatform platform(switched(2, "3us"));
  const std::vector<Calls> calls{{{take(0, true)}}, {{take(0, true), 1}}};
  CHECK_THROWS_WITH(replay_programs(ListedPrograms(calls), *platform),
                    Contains("wait for one another forever"));
}

TEST_CASE("locks: the same requests at one time are served alike in every simulation") {
  const std::vector<double> work_s(6, 0.25);
  const std::vector<bool> exclusive(6, true);
  const ReplayResult once = replay_holders(work_s, exclusive);
  const ReplayResult again = replay_holders(work_s, exclusive);
  for (std::size_t rank = 0; rank < once.ranks.size(); ++rank)
    CHECK(once.ranks[rank].finish_s == again.ranks[rank].finish_s);
  CHECK(once.total_s > 6 * 1.);
}

TEST_CASE("windows: a fetch brings back as much as it sends, an accumulate does not") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().message_overhead_s = overhead_s;
  constexpr std::int64_t bytes = 1'000'000;  // a second on a link
  const auto seconds_of = [&](TransferKind kind) {
    const std::vector<Calls> calls{{{transfer(kind, 1, bytes)}, {Complete{1, 1}}}, {}};
    return replay_programs(ListedPrograms(calls), *platform).total_s;
  };
  CHECK(seconds_of(TransferKind::put) == Approx(1 + round_trip_s).epsilon(1e-9));
  CHECK(seconds_of(TransferKind::accumulate) == Approx(1 + round_trip_s).epsilon(1e-9));
  CHECK(seconds_of(TransferKind::fetch) == Approx(1 + 1 + round_trip_s).epsilon(1e-9));
}

TEST_CASE("windows: within a node, transfers are copies and sums over memory") {
  SmallPlatform platform(switched(1, "3us"));
  constexpr std::int64_t bytes = 12'000'000;  // a millisecond of a core's memory
  const auto seconds_of = [&](TransferKind kind) {
    const std::vector<Calls> calls{{{transfer(kind, 1, bytes)}, {Complete{1, 1}}}, {}};
    return replay_programs(ListedPrograms(calls), *platform, {}, 2).total_s;
  };
  CHECK(seconds_of(TransferKind::put) == Approx(2e-3));         // a load and a store
  CHECK(seconds_of(TransferKind::accumulate) == Approx(3e-3));  // two loads and a store
  CHECK(seconds_of(TransferKind::fetch) == Approx(4e-3));       // and a store of what was there
}
