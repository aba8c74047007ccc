// SPDX-License-Identifier: MIT
#include "sim/answer/interval.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "../replay/shared_link.hpp"
#include "kernels/problem/placement.hpp"

using namespace finegrain;
using namespace finegrain::answer;

namespace {

/// One rank puts 3 MB in turn over a link of 1 MB/s, twice.
struct Putting {
  SmallPlatform small{switched(2)};
  Schedule schedule = puts(3 * megabyte, 2);
  problem::Placement placement{2, 1};
  Answer answer() {
    return evaluate({{.job = {.schedule = &schedule, .platform = &*small, .placement = &placement}}}, 1, {})
        .front();
  }
};

}  // namespace

TEST_CASE("intervals: a network that was never compared with measurements has a wide one") {
  Putting putting;
  const Answer answer = putting.answer();
  const std::vector<TimePart> parts = parts_of_time(answer);
  REQUIRE(parts.size() == 1);  // there is no work
  CHECK(parts.front().seconds == answer.simulated->total_s);
  CHECK(parts.front().discrepancy->samples == 0);
  const std::optional<answer::Interval> interval = interval_of(answer);
  REQUIRE(interval);
  CHECK(interval->low_s == Approx(0.5 * 6));
  CHECK(interval->high_s == Approx(2.8 * 6));
  CHECK_THAT(interval_notes({&answer, 1}).front(), Catch::Contains("an assumption"));
}

TEST_CASE("intervals: the kind of traffic that is known least decides, if it matters") {
  Putting putting;
  Answer answer = putting.answer();
  platform::Platform tcp = *putting.small;
  tcp.costs.replies_wait = true;
  tcp.costs.remote_bandwidth_bytes_per_s = 12e6;
  answer.question.job.platform = &tcp;
  const auto kind_with = [&](const replay::UnloadedTransfers& unloaded) {
    answer.simulated->unloaded = unloaded;
    const std::vector<TimePart> parts = parts_of_time(answer);
    REQUIRE(parts.size() == 1);
    CHECK(parts.front().discrepancy->samples > 0);
    return parts.front().discrepancy->kind;
  };
  CHECK(kind_with({.latencies_s = 1, .bytes_s = 8, .bytes_in_turn_s = 1}) == "bytes over links");
  CHECK(kind_with({.latencies_s = 1, .bytes_s = 4, .bytes_in_turn_s = 5}) == "puts and gets in turn");
  CHECK(kind_with({.latencies_s = 5, .bytes_s = 1, .bytes_in_turn_s = 4}) == "latencies");
}

TEST_CASE("intervals: late partners count for work and network, and distances add up as squares do") {
  Putting putting;
  putting.schedule = puts(3 * megabyte);
  Answer answer = putting.answer();
  answer.question.job.programs = nullptr;
  REQUIRE(parts_of_time(answer).size() == 1);
  const answer::Interval alone = *interval_of(answer);
  const double total_s = answer.simulated->total_s;
  CHECK(alone.high_s - total_s == Approx(total_s * (parts_of_time(answer)[0].discrepancy->high - 1)));
  // The first rank's region is named as work is: then half of the time of both ranks is work.
  REQUIRE(putting.schedule.ranks[0].regions.size() >= 1);
  putting.schedule.ranks[0].regions[0].name = regions::compute;
  const std::vector<TimePart> parts = parts_of_time(answer);
  REQUIRE(!parts.empty());
  double sum = 0;
  for (const TimePart& part : parts)
    sum += part.seconds;
  CHECK(sum == Approx(total_s));
  double square = 0;
  for (const TimePart& part : parts)
    square += std::pow(part.seconds * (part.discrepancy->high - 1), 2);
  CHECK(interval_of(answer)->high_s - total_s == Approx(std::sqrt(square)));
}

TEST_CASE("intervals: what was not simulated, or takes no time, has none") {
  Putting putting;
  Answer answer = putting.answer();
  answer.simulated->total_s = 0;
  CHECK_FALSE(interval_of(answer));
  answer.simulated.reset();
  CHECK_FALSE(interval_of(answer));
  CHECK(interval_notes({&answer, 1}).empty());
}

TEST_CASE("decisions: the further two ways are apart, the surer it is which is faster") {
  platform::PlatformCosts tcp;
  CHECK_FALSE(chance_of_being_right({.slower_over_faster = 2}, tcp));  // a network that nobody measured
  tcp.replies_wait = true;
  CHECK_FALSE(chance_of_being_right({.slower_over_faster = 2}, tcp));
  tcp.remote_bandwidth_bytes_per_s = 1.2e9;  // faster than what was measured
  CHECK_FALSE(chance_of_being_right({.slower_over_faster = 2}, tcp));
  tcp.remote_bandwidth_bytes_per_s = 12e6;
  CHECK(chance_of_being_right({.slower_over_faster = 1}, tcp) == 0.5);
  CHECK(chance_of_being_right({.slower_over_faster = 1.01}, tcp) == 0.75);
  CHECK(chance_of_being_right({.slower_over_faster = 1.059, .in_turn = true}, tcp) == 0.75);
  CHECK(chance_of_being_right({.slower_over_faster = 3}, tcp) == 0.99);
}
