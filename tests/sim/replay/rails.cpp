// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/replay/replay.hpp"
#include "small_platform.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

/// Nodes with an adapter of 1 MB/s on each of two rails, whose second is slower where that is asked for.
std::string two_rails(int nodes, const std::string& choice, const std::string& second = "1MBps") {
  const auto rail = [&](const char* id, const char* prefix, const std::string& bandwidth) {
    return fmt::format(
        "<cluster id='{}' prefix='{}node-' suffix='' radical='0-{}' speed='1Gf' core='4' bw='{}' lat='0us' "
        "sharing_policy='SPLITDUPLEX'/>",
        id, prefix, nodes - 1, bandwidth);
  };
  return fmt::format(
      "<zone id='z' routing='Full'><prop id='rails' value='2'/><prop id='rail_choice' value='{}'/>"
      "<prop id='nodes' value='{}'/>{}{}</zone>",
      choice, nodes, rail("c", "", "1MBps"), rail("r", "~rail1~", second));
}

/// Rank r of the first node sends a megabyte to rank r of the second: a second on a link of its own.
Schedule each_to_its_partner(int ranks_per_node, int senders) {
  std::vector<Body> ranks;
  for (int rank = 0; rank < 2 * ranks_per_node; ++rank) {
    const Post put = blocking(transfer(TransferKind::put, rank + ranks_per_node, megabyte));
    ranks.push_back(rank < senders ? one_region(regions::put, {put}) : idle());
  }
  return schedule_of_ranks(std::move(ranks), ranks_per_node);
}

double seconds(const std::string& platform_text, int ranks_per_node, int senders) {
  SmallPlatform platform(platform_text);
  return replay::replay(each_to_its_partner(ranks_per_node, senders), *platform).total_s;
}

}  // namespace

TEST_CASE("rails: two ranks of a node that send at once have an adapter each") {
  CHECK(seconds(switched(2), 2, 2) == Approx(2));  // two megabytes over one adapter
  CHECK(seconds(two_rails(2, "round_robin"), 2, 2) == Approx(1));
  CHECK(seconds(two_rails(2, "blocks"), 2, 2) == Approx(1));
}

TEST_CASE("rails: one rank's messages go by one adapter, never by several") {
  CHECK(seconds(two_rails(2, "round_robin"), 2, 1) == Approx(1));
  CHECK(seconds(two_rails(2, "round_robin"), 1, 1) == Approx(1));
}

TEST_CASE("rails: a rank's rail is its place on its node, by turns or in blocks") {
  // Ranks 0 and 1 send. By turns they have a rail each; in blocks, 0 and 1 of four share the first.
  CHECK(seconds(two_rails(2, "round_robin"), 4, 2) == Approx(1));
  CHECK(seconds(two_rails(2, "blocks"), 4, 2) == Approx(2));
  // Four send: two on each rail, either way.
  CHECK(seconds(two_rails(2, "round_robin"), 4, 4) == Approx(2));
  CHECK(seconds(two_rails(2, "blocks"), 4, 4) == Approx(2));
  // Three by turns: the first rail has two of them.
  CHECK(seconds(two_rails(2, "round_robin"), 4, 3) == Approx(2));
}

TEST_CASE("rails: where pairs choose, (sender + receiver) modulo the rails is the rail") {
  // 0 + 4, 1 + 5, 2 + 6 are even: all on the first rail. With three ranks a node: 0 + 3 and 1 + 4 are odd.
  CHECK(seconds(two_rails(2, "pairs"), 4, 3) == Approx(3));
  CHECK(seconds(two_rails(2, "pairs", "0.5MBps"), 3, 2) == Approx(2 / 0.5));
}

TEST_CASE("rails: a message crosses the adapters of its own rail, however fast the other is") {
  CHECK(seconds(two_rails(2, "round_robin", "0.25MBps"), 2, 1) == Approx(1));
  CHECK(seconds(two_rails(2, "round_robin", "0.25MBps"), 2, 2) == Approx(1 / 0.25));
}

TEST_CASE("rails: SimGrid's own flows of puts go by the same adapters, and messages there are refused") {
  ReplayOptions options;
  options.one_flow_per_message = true;
  for (const std::string choice : {"round_robin", "blocks", "pairs"}) {
    SmallPlatform platform(two_rails(2, choice, "0.5MBps"));
    for (const int senders : {1, 2, 3, 4}) {
      const Schedule schedule = each_to_its_partner(4, senders);
      CHECK(replay::replay(schedule, *platform, options).total_s ==
            Approx(replay::replay(schedule, *platform).total_s).epsilon(1e-9));
    }
  }
  SmallPlatform platform(two_rails(2, "round_robin"));
  const Schedule message = schedule_of_ranks(
      {one_region(regions::send, {blocking(transfer(TransferKind::send, 1, megabyte))}),
       one_region(regions::receive, {blocking(transfer(TransferKind::receive, 0, megabyte))})},
      1);
  CHECK_THROWS_WITH(replay::replay(message, *platform, options),
                    Contains("only puts and gets are simulated on rails"));
}

TEST_CASE("rails: what cannot be simulated is refused by name") {
  const auto refused = [](const std::string& platform, const std::string& problem) {
    SmallPlatform small(platform);
    CHECK_THROWS_WITH(replay::replay(each_to_its_partner(2, 2), *small), Contains(problem));
    CHECK_THROWS_AS(replay::replay(each_to_its_partner(2, 2), *small), InputError);
  };
  refused(two_rails(2, "stripes"), "'stripes' chooses no rail");
  refused("<zone id='z' routing='Full'><prop id='rails' value='2'/>" + switched(2) + "</zone>",
          "there is no property nodes");
  refused("<zone id='z' routing='Full'><prop id='rails' value='2'/><prop id='nodes' value='2'/>" +
              switched(2) + "</zone>",
          "there is no host ~rail1~node-0, the adapter of node-0 on rail 1");
}
