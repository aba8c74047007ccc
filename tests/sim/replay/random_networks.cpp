// SPDX-License-Identifier: MIT
// Flows on random routes over random links, against SimGrid's own shares.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sim/replay/replay.hpp"
#include "small_platform.hpp"

using namespace finegrain;
using namespace finegrain::replay;

namespace {

constexpr int hosts_of_network = 5;
constexpr int links_of_network = 6;
constexpr int networks = 100;  ///< side by side on one platform, without a route between them

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  int below(int end) { return std::uniform_int_distribution(0, end - 1)(generator_); }
  bool one_in(int n) { return below(n) == 0; }
  /// Half of the values are among few, so that flows start and end together.
  double value(double low, double high) {
    const double share = one_in(2) ? 0.25 * below(5) : std::uniform_real_distribution(0., 1.)(generator_);
    return low * std::pow(high / low, share);
  }

 private:
  std::mt19937 generator_;
};

std::string host(int network, int number) {
  return fmt::format("n{:03}-{}", network, number);
}

/// Networks side by side. In each, all pairs of hosts are joined by one to four links, now and then by a
/// FATPIPE, or by one link twice.
std::string random_networks(Random& random) {
  std::string hosts;
  std::string links;
  std::string routes;
  for (int network = 0; network < networks; ++network) {
    for (int i = 0; i < hosts_of_network; ++i)
      hosts += fmt::format("<host id='{}' speed='1Gf'/>\n", host(network, i));
    for (int i = 0; i < links_of_network; ++i) {
      links += fmt::format("<link id='l{}-{}' bandwidth='{:.17g}Bps' latency='0us' sharing_policy='{}'/>\n",
                           network, i, random.value(1e5, 1e7), random.one_in(8) ? "FATPIPE" : "SHARED");
    }
    for (int from = 0; from < hosts_of_network; ++from) {
      for (int to = 0; to < hosts_of_network; ++to) {
        if (from == to) continue;
        routes +=
            fmt::format("<route src='{}' dst='{}' symmetrical='NO'>", host(network, from), host(network, to));
        for (int i = random.below(4); i >= 0; --i)
          routes += fmt::format("<link_ctn id='l{}-{}'/>", network, random.below(links_of_network));
        routes += "</route>\n";
      }
    }
  }
  return "<zone id='z' routing='Full'>\n" + hosts + links + routes + "</zone>";
}

/// Works for a while, starts some puts and gets, waits for them, and again.
Body random_rank(int network, int number, Random& random) {
  Body iteration;
  for (int round = 0; round < 2; ++round) {
    iteration.add_region(regions::compute, Work{static_cast<std::int64_t>(random.value(1e8, 1e10))});
    iteration.begin_region(regions::put);
    for (int i = random.below(5); i > 0; --i) {
      const int peer = random.below(hosts_of_network);
      if (peer == number) continue;
      iteration.add(Post{.kind = random.one_in(3) ? TransferKind::get : TransferKind::put,
                         .peer = network * hosts_of_network + peer,
                         .size_bytes = static_cast<std::int64_t>(random.value(1e4, 1e7))});
    }
    iteration.add_region(regions::wait, Complete::all());
  }
  return iteration;
}

}  // namespace

TEST_CASE("shares: flows on ten thousand random networks end when SimGrid's do") {
#ifdef __SANITIZE_ADDRESS__
  const unsigned platforms = 2;  // SimGrid's actors are threads then
#else
  const unsigned platforms = 10'000 / networks;
#endif
  double largest_difference = 0;
  for (unsigned seed = 0; seed < platforms; ++seed) {
    Random random(seed);
    SmallPlatform platform(random_networks(random));
    std::vector<Body> ranks;
    for (int network = 0; network < networks; ++network) {
      for (int number = 0; number < hosts_of_network; ++number)
        ranks.push_back(random_rank(network, number, random));
    }
    const Schedule schedule = schedule_of_ranks(std::move(ranks), 1);
    const ReplayResult flows = replay::replay(schedule, *platform);
    ReplayOptions options;
    options.one_flow_per_message = true;
    const ReplayResult reference = replay::replay(schedule, *platform, options);
    REQUIRE(flows.flows == reference.flows);
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
      const double difference = flows.ranks[rank].finish_s / reference.ranks[rank].finish_s - 1;
      largest_difference = std::max(largest_difference, std::abs(difference));
    }
  }
  CHECK(largest_difference < 1e-12);
}
