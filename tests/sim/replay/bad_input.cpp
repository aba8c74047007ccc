// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "sim/replay/platform_summary.hpp"
#include "sim/replay/replay.hpp"
#include "small_platform.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::platform;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

Schedule one_put() {
  return schedule_of_ranks(
      {one_region(regions::put, {blocking(transfer(TransferKind::put, 1, 1000))}), idle()}, 1);
}

void check_refused(const std::string& contents, const std::string& problem) {
  SmallPlatform platform(contents);
  CHECK_THROWS_WITH(replay::replay(one_put(), *platform), Contains(problem));
  CHECK_THROWS_AS(replay::replay(one_put(), *platform), InputError);
}

}  // namespace

TEST_CASE("a platform with too few hosts is refused with both numbers") {
  SmallPlatform platform(switched(3));
  const Schedule schedule = schedule_of_ranks(std::vector<Body>(33, idle()), 8);
  CHECK_THROWS_WITH(replay::replay(schedule, *platform), Contains("3 hosts for 5 nodes"));
  CHECK_NOTHROW(replay::replay(schedule_of_ranks(std::vector<Body>(24, idle()), 8), *platform));
}

TEST_CASE("what SimGrid refuses is one line, and the program goes on") {
  check_refused("<zone id='z' routing='Full'><host id='a'/>", "malformed XML");
  check_refused("<zone id='z' routing='Full'><host id='a' speed='1Gx'/></zone>", "unknown unit");
  check_refused("<zone id='z' routing='Full'><host id='a' speed='fast'/></zone>",
                ":4: cannot parse number:fast");
  check_refused("<zone id='z' routing='Full'><host id='a' speed='1Gf'/><host id='a' speed='1Gf'/></zone>",
                "'a'");
  check_refused("", "no <zone> or <cluster>");
  SmallPlatform good(switched(2));
  CHECK(replay::replay(one_put(), *good).total_s == Approx(1e-3));
}

TEST_CASE("hosts without a route between them are refused by name") {
  const char* hosts = "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>";
  for (const char* routing : {"Full", "Floyd", "Dijkstra", "DijkstraCache", "None", "Cluster"})
    check_refused(fmt::format("<zone id='z' routing='{}'>{}</zone>", routing, hosts),
                  "no links from host a to host b");
}

TEST_CASE("a missing platform file is refused") {
  Platform platform;
  platform.file = "/nonexistent/platform.xml";
  CHECK_THROWS_AS(replay::replay(one_put(), platform), InputError);
}

TEST_CASE("hosts without a route are enough where no message goes between them") {
  SmallPlatform platform(
      "<zone id='z' routing='Full'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/></zone>");
  const Body work = one_region(regions::compute, Work{12'000'000});
  CHECK(replay::replay(schedule_of_ranks({work, work}, 1), *platform).total_s == Approx(1e-3).epsilon(1e-9));
}

TEST_CASE("a network model in the platform file does not change finegrain's") {
  SmallPlatform platform(
      "<config id='General'><prop id='network/model' value='LV08'/>"
      "<prop id='network/crosstraffic' value='1'/></config>" +
      switched(2));
  CHECK(replay::replay(one_put(), *platform).total_s == Approx(1e-3).epsilon(1e-9));
}

TEST_CASE("a schedule whose ends disagree is refused, naming the ranks") {
  SmallPlatform platform(switched(2));
  Body sends = one_region(regions::send, {transfer(TransferKind::send, 1, 1000)});
  sends.add_region(regions::wait, Complete::all());
  CHECK_THROWS_WITH(replay::replay(schedule_of_ranks({sends, idle()}, 1), *platform),
                    Contains("rank 0 sends 1 message to rank 1, which receives 0"));
  Body receives = one_region(regions::receive, {transfer(TransferKind::receive, 0, 999)});
  receives.add_region(regions::wait, Complete::all());
  CHECK_THROWS_WITH(replay::replay(schedule_of_ranks({sends, receives}, 1), *platform),
                    Contains("other sizes"));
  CHECK_THROWS_WITH(replay::replay(schedule_of_ranks({idle(), receives}, 1), *platform),
                    Contains("rank 0 sends 0 messages to rank 1, which receives 1"));
}

TEST_CASE("a schedule that cannot end is refused") {
  SmallPlatform platform(switched(2));
  CHECK_THROWS_WITH(
      replay::replay(schedule_of_ranks({Body{}.add_region(regions::barrier, Collective{}), idle()}, 1),
                     *platform),
      Contains("rank 1 has 0 barriers"));
  CHECK_THROWS_WITH(
      replay::replay(
          schedule_of_ranks({one_region(regions::send, {transfer(TransferKind::send, 1, 8)}), idle()}, 1),
          *platform),
      Contains("never waits"));
  CHECK_THROWS_WITH(
      replay::replay(
          schedule_of_ranks({one_region(regions::put, {blocking(transfer(TransferKind::put, 2, 8))}), idle()},
                            1),
          *platform),
      Contains("wrong number of ranks"));
  // Each waits for a message that the other sends only afterwards.
  const auto waits_first = [](int peer) {
    Body iteration = one_region(regions::receive, {transfer(TransferKind::receive, peer, 8)});
    iteration.add_region(regions::wait, Complete::all());
    iteration.begin_region(regions::send);
    iteration.add(transfer(TransferKind::send, peer, 8));
    iteration.add_region(regions::wait, Complete::all());
    return iteration;
  };
  CHECK_THROWS_WITH(replay::replay(schedule_of_ranks({waits_first(1), waits_first(0)}, 1), *platform),
                    Contains("wait for one another forever"));
}

TEST_CASE("ranks, iterations or durations that do not fit the schedule are refused") {
  SmallPlatform platform(switched(2));
  Schedule schedule = one_put();
  schedule.run.ranks = 3;
  CHECK_THROWS_WITH(replay::replay(schedule, *platform), Contains("3 ranks, but iterations of 2"));
  schedule = one_put();
  schedule.run.iterations = 0;
  CHECK_THROWS_WITH(replay::replay(schedule, *platform), Contains("0 is not a number of iterations"));
  schedule = one_put();
  const PhaseDurations durations{{0.5}};
  CHECK_THROWS_AS(replay_all({{&schedule, &*platform, &durations}}, 1), InputError);
}

TEST_CASE(
    "tau is o + 2L of the first two hosts' route, and remote_bandwidth its narrowest link, where nobody "
    "says") {
  SmallPlatform small(
      "<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' core='8' bw='2MBps' lat='3us'/>");
  platform::Platform found = *small;
  found.costs.message_overhead_s = 1e-6;
  found.costs.tau_s.reset();
  found.costs.remote_bandwidth_bytes_per_s.reset();
  platform::Platform said = found;
  const std::vector<std::string> sentences = derive_remote_costs(found);
  CHECK(found.costs.tau() == Approx(1e-6 + 2 * (2 * 3e-6)));
  CHECK(found.costs.remote_bandwidth() == Approx(2e6));
  REQUIRE(sentences.size() == 2);
  CHECK_THAT(sentences[0], Contains("tau = 13 us is derived") && Contains("from n0 to n1"));
  said.costs.tau_s = 5e-6;
  CHECK(derive_remote_costs(said).size() == 1);
  CHECK(said.costs.tau() == 5e-6);
}

TEST_CASE("a file of one host has no route, so tau stays unknown and is asked for") {
  SmallPlatform small("<host id='one' speed='1Gf' core='8'/>");
  platform::Platform alone = *small;
  alone.costs.tau_s.reset();
  derive_remote_costs(alone);
  CHECK_THROWS_WITH(alone.costs.tau(), Contains("no tau"));
}

TEST_CASE("a view of a platform shows hosts, cores and routes") {
  SmallPlatform platform(
      "<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' core='8' bw='2MBps' lat='3us'/>");
  const PlatformSummary view = summarize_platform((*platform).file);
  CHECK(view.hosts == 4);
  CHECK(view.cores_per_host == 8);
  REQUIRE(view.routes.size() == 2);
  CHECK(view.routes[1].from == "n0");
  CHECK(view.routes[1].to == "n3");
  CHECK(view.routes[1].there->latency_s == Approx(2 * 3e-6));
  CHECK(view.routes[1].there->bandwidth_bytes_per_s == Approx(2e6));
}
