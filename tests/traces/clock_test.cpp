// SPDX-License-Identifier: MIT
#include "traces/clock.hpp"

#include <catch2/catch.hpp>

#include "tests/traces/recording.hpp"

namespace finegrain {
namespace {

using namespace test;

TEST_CASE("an offset measured once holds for all times") {
  const ClockMap clock({1000, -7}, std::nullopt);
  CHECK(clock.to_rank0_ns(1000) == 1000 - 7);
  CHECK(clock.to_rank0_ns(5000) == 5000 - 7);
}

TEST_CASE("between two measurements the offset lies on the line through both, and beyond them too") {
  const ClockMap clock({1000, 10}, ClockOffset{3000, 30});
  CHECK(clock.to_rank0_ns(1000) == 1000 + 10);
  CHECK(clock.to_rank0_ns(1500) == 1500 + 15);
  CHECK(clock.to_rank0_ns(3000) == 3000 + 30);
  CHECK(clock.to_rank0_ns(4000) == 4000 + 40);
  CHECK(clock.to_rank0_ns(500) == 500 + 5);
}

TEST_CASE("a clock that began years before rank 0's loses no nanosecond") {
  const std::int64_t years_ns = 4'000'000'000'000'000'001;
  const ClockMap clock({years_ns, -years_ns}, ClockOffset{years_ns + 1'000'000, -years_ns + 100});
  CHECK(clock.to_rank0_ns(years_ns + 500'000) == 500'000 + 50);
  CHECK(clock.to_rank0_ns(years_ns + 10'003) == 10'003 + 1);
}

TEST_CASE("two measurements at one time, or too close for a drift, count as the first alone") {
  CHECK(ClockMap({1000, 10}, ClockOffset{1000, 30}).to_rank0_ns(2000) == 2000 + 10);
  CHECK(ClockMap({1000, 10}, ClockOffset{1010, 30}).to_rank0_ns(2000) == 2000 + 10);
}

TEST_CASE("a trace hands out its times on rank 0's clock") {
  RecordedIteration recorded;
  recorded.body.begin_region(regions::get);
  recorded.body.add(transfer(TransferKind::get, 0, 8));
  recorded.time = {1000, 3000};
  recorded.regions = {{1500, 2500}};
  recorded.posts = {{2000, 2500}};
  const TraceFolder folder;
  record(folder.path(), 0, {});
  record(folder.path(), 1, {recorded});
  Manifest manifest = manifest_of(2, 1);
  manifest.offsets_at_start = {{0, 0}, {1000, 10}};
  manifest.offsets_at_end = {{0, 0}, {3000, 30}};
  write_manifest(folder.path(), manifest);
  const RankRecording read = read_all(Trace(folder.path()), 1);
  REQUIRE(read.size() == 1);
  CHECK(read[0].time == Interval{1000 + 10, 3000 + 30});
  CHECK(read[0].regions[0] == Interval{1500 + 15, 2500 + 25});
  CHECK(read[0].posts[0] == Interval{2000 + 20, 2500 + 25});
}

}  // namespace
}  // namespace finegrain
