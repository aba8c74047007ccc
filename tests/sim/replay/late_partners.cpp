// SPDX-License-Identifier: MIT
// Waits::late_s(): how much of a wait is for partners that have not come, and how much for the
// transfer.
#include <catch2/catch.hpp>
#include <vector>

#include "listed_programs.hpp"
#include "shared_link.hpp"
#include "sim/replay/replay.hpp"
#include "small_platform.hpp"

using namespace finegrain;
using namespace finegrain::replay;

namespace {

Post sent_to(int peer, std::int64_t bytes) {
  return {.kind = TransferKind::send, .peer = peer, .size_bytes = bytes};
}
Post received_from(int peer, std::int64_t bytes) {
  return {.kind = TransferKind::receive, .peer = peer, .size_bytes = bytes};
}
/// After so many seconds of work, the post, and its end.
TimedCall blocking_after(double work_s, const Post& post) {
  return {post, work_s, {Complete::all()}};
}

/// Seconds for each rank, a node each: NICs of 1 MB/s.
std::vector<double> late_s(const std::vector<Calls>& ranks, std::optional<std::int64_t> eager_limit = {},
                           std::string_view algorithm = {}) {
  SmallPlatform platform(switched(static_cast<int>(ranks.size())));
  platform.costs().eager_limit_bytes = eager_limit;
  const ReplayResult result = replay_programs(ListedPrograms(ranks), *platform, {}, 1, algorithm);
  return region_late_seconds(result).at("MPI");
}

std::vector<Calls> collective_after(const Collective& collective, const std::vector<double>& work_s) {
  std::vector<Calls> ranks;
  for (const double seconds : work_s)
    ranks.push_back({{collective, seconds}});
  return ranks;
}

constexpr double microseconds_of_bytes =
    1e-4;  ///< what a few bytes take in the rounds before the last rank comes

void check_near(const std::vector<double>& seconds, const std::vector<double>& expected_s,
                double margin_s = 1e-9) {
  REQUIRE(seconds.size() == expected_s.size());
  for (std::size_t rank = 0; rank < seconds.size(); ++rank)
    CHECK(seconds[rank] == Approx(expected_s[rank]).margin(margin_s));
}

}  // namespace

TEST_CASE("late partners: a receive waits for its sender until that sends, and then for the transfer") {
  check_near(
      late_s({{blocking_after(2, sent_to(1, megabyte))}, {blocking_after(0.5, received_from(0, megabyte))}}),
      {0, 2 - 0.5});
}

TEST_CASE("late partners: nobody waits for a message that was sent before") {
  check_near(
      late_s({{blocking_after(0, sent_to(1, megabyte))}, {blocking_after(0.5, received_from(0, megabyte))}}),
      {0, 0});
}

TEST_CASE("late partners: a long message's sender waits until its receiver expects it") {
  check_near(
      late_s({{blocking_after(0, sent_to(1, megabyte))}, {blocking_after(3, received_from(0, megabyte))}}, 0),
      {3, 0});
  check_near(
      late_s({{blocking_after(3, sent_to(1, megabyte))}, {blocking_after(1, received_from(0, megabyte))}}, 0),
      {0, 3 - 1});
}

TEST_CASE("late partners: of several, the last counts") {
  Calls waits_for_both = {{received_from(1, 8), 0.25, {received_from(2, 8), Complete::all()}}};
  check_near(late_s({waits_for_both, {blocking_after(1, sent_to(0, 8))}, {blocking_after(4, sent_to(0, 8))}}),
             {4 - 0.25, 0, 0});
}

TEST_CASE("late partners: in a broadcast the root, and not who passes its bytes on") {
  const Collective broadcast{.kind = CollectiveKind::broadcast, .size_bytes = megabyte};
  for (const char* const algorithm : {"bcast=binomial", "bcast=chain", "bcast=linear"}) {
    CAPTURE(algorithm);
    check_near(late_s(collective_after(broadcast, {3, 1, 0, 2}), {}, algorithm), {0, 2, 3, 1});
    // Nobody needs rank 3, the last one.
    check_near(late_s(collective_after(broadcast, {0, 0, 0, 0}), {}, algorithm), {0, 0, 0, 0});
  }
}

TEST_CASE("late partners: in an allreduce and in a barrier, the last rank of all") {
  const Collective sum{.kind = CollectiveKind::allreduce, .element_bytes = 8, .size_bytes = 8};
  for (const char* const algorithm :
       {"allreduce=recursive_doubling", "allreduce=ring", "allreduce=nonoverlapping"}) {
    CAPTURE(algorithm);
    check_near(late_s(collective_after(sum, {3, 1, 7, 2}), {}, algorithm), {4, 6, 0, 5},
               microseconds_of_bytes);
  }
  check_near(late_s(collective_after(Collective{}, {3, 1, 7, 2, 0}), {}, "barrier=dissemination"),
             {4, 6, 0, 5, 7}, microseconds_of_bytes);
}

TEST_CASE("late partners: of a collective that was posted, from the wait for it on") {
  const Collective sum{
      .kind = CollectiveKind::allreduce, .blocking = false, .element_bytes = 8, .size_bytes = 8};
  std::vector<Calls> ranks = collective_after(sum, {0, 4});
  ranks[0].push_back({Complete::all(), 1.5});
  ranks[1].push_back({Complete::all(), 0});
  check_near(late_s(ranks), {4 - 1.5, 0});
}

TEST_CASE("late partners: at a schedule's barrier, the last rank, in every iteration") {
  SmallPlatform platform(two_switches);
  Schedule schedule = puts(megabyte, 1000);  // rank 0 puts for a second and more, rank 1 waits
  const ReplayResult result = replay::replay(schedule, *platform);
  REQUIRE(result.simulated_iterations < 1000);
  CHECK(result.ranks[0].waits.sum().late_s() == Approx(0).margin(1e-9));
  CHECK(result.ranks[1].waits.sum().late_s() == Approx(result.ranks[1].phases_s.back()));
}

TEST_CASE("late partners: with one flow a message, it is not known") {
  SmallPlatform platform(two_switches);
  ReplayOptions options;
  options.one_flow_per_message = true;
  CHECK_FALSE(replay::replay(puts(megabyte), *platform, options).ranks[1].waits.is_known());
}
