// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "tests/traces/recording.hpp"

namespace finegrain {
namespace {

using namespace test;

/// Times of one rank of a two-sided SpMV with 15 neighbours, made up: posting costs some 100 ns, now and then
/// 2 us more, work varies by 2 percent, messages arrive over 80 us, half of them before the wait, and are
/// seen in batches.
RankRecording spmv_recording(int iterations) {
  constexpr int neighbours = 15;
  std::mt19937_64 random(7);
  const auto normal_ns = [&](double mean, double deviation) {
    return std::max<std::int64_t>(1, std::llround(std::normal_distribution(mean, deviation)(random)));
  };
  const auto gap_ns = [&](double mean) {
    return normal_ns(mean, mean / 5) + (random() % 20 == 0 ? normal_ns(2000, 500) : 0);
  };
  const auto work_ns = [&](double mean) { return normal_ns(mean, mean / 50); };

  RankRecording recording;
  std::int64_t time_ns = 1'700'000'000'000'000'000;
  for (int i = 0; i < iterations; ++i) {
    RecordedIteration recorded;
    Body& body = recorded.body;
    recorded.time.start_ns = time_ns;
    const auto region = [&](RegionName name, std::optional<Work> bytes, auto&& work) {
      body.begin_region(name);
      if (bytes) body.add(*bytes);
      time_ns += normal_ns(40, 8);
      recorded.regions.push_back({time_ns, 0});
      work();
      time_ns += normal_ns(40, 8);
      recorded.regions.back().end_ns = time_ns;
    };
    const auto post_all = [&](TransferKind kind, double mean_ns) {
      for (int peer = 1; peer <= neighbours; ++peer) {
        body.add(transfer(kind, peer, 8 * (1000 + 37 * peer)));
        recorded.posts.push_back({time_ns, 0});
        time_ns += gap_ns(mean_ns);
      }
    };
    region(regions::receive, std::nullopt, [&] { post_all(TransferKind::receive, 150); });
    region(regions::pack, Work{480'000}, [&] { time_ns += work_ns(120'000); });
    region(regions::send, std::nullopt, [&] { post_all(TransferKind::send, 400); });
    region(regions::copy, Work{800'000}, [&] { time_ns += work_ns(40'000); });
    region(regions::wait, std::nullopt, [&] {
      std::vector<std::pair<std::int64_t, std::size_t>> arrivals;
      for (std::size_t m = 0; m < recorded.posts.size(); ++m)
        arrivals.emplace_back(time_ns - 40'000 + static_cast<std::int64_t>(random() % 80'000), m);
      std::sort(arrivals.begin(), arrivals.end());
      // What is there when the wait begins is seen in the order it was posted.
      const auto late = std::partition_point(arrivals.begin(), arrivals.end(),
                                             [&](const auto& arrival) { return arrival.first <= time_ns; });
      std::sort(arrivals.begin(), late, [](const auto& a, const auto& b) { return a.second < b.second; });
      for (const auto& [arrival_ns, message] : arrivals) {
        time_ns = std::max(time_ns + normal_ns(30, 5), arrival_ns);
        recorded.posts[message].end_ns = time_ns;
      }
      body.add(Complete::all());
    });
    region(regions::unpack, Work{480'000}, [&] { time_ns += work_ns(60'000); });
    region(regions::compute, Work{8'000'000}, [&] { time_ns += work_ns(900'000); });
    recorded.time.end_ns = time_ns + 40;
    time_ns += 80;
    recording.push_back(std::move(recorded));
  }
  return recording;
}

TEST_CASE("1,000 iterations of SpMV with 15 neighbours take at most 4 bytes a message on disk") {
  const TraceFolder folder;
  REQUIRE(record(folder.path(), 0, spmv_recording(1000)));
  const auto size_bytes = static_cast<double>(std::filesystem::file_size(folder.path() / "rank_00000.fgt"));
  const double bytes_per_message = size_bytes / (1000. * 2 * 15);
  fmt::print("{:.2f} bytes a message, phases included\n", bytes_per_message);
  REQUIRE(bytes_per_message <= 4);
}

}  // namespace
}  // namespace finegrain
