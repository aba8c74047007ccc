// SPDX-License-Identifier: MIT
// Links and routes of every kind that SimGrid's files have, in both simulations.
#include <catch2/catch.hpp>

#include "replay_both_ways.hpp"
#include "sim/replay/replay.hpp"
#include "small_platform.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

Schedule one_kilobyte_put(std::int64_t bytes = 1000) {
  return schedule_of_ranks(
      {one_region(regions::put, {blocking(transfer(TransferKind::put, 1, bytes))}), idle()}, 1);
}

void check_link_refused(const std::string& contents, const std::string& problem) {
  SmallPlatform platform(contents);
  CHECK_THROWS_WITH(replay::replay(one_kilobyte_put(), *platform), Contains(problem));
  CHECK_THROWS_AS(replay::replay(one_kilobyte_put(), *platform), InputError);
}

/// Two hosts on a link of 1 MB/s that follows a profile.
std::string following(const std::string& kind, const std::string& points,
                      const std::string& policy = "SHARED") {
  return fmt::format(R"(<zone id='z' routing='Full'>
                     <host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>
                     <link id='l' bandwidth='1MBps' latency='0us' sharing_policy='{}'/>
                     <route src='a' dst='b'><link_ctn id='l'/></route>
                     <trace id='t' periodicity='-1'>{}</trace>
                     <trace_connect trace='t' element='l' kind='{}'/>
                   </zone>)",
                     policy, points, kind);
}

}  // namespace

TEST_CASE("stations of a Wi-Fi zone share its link's time, which a message from one to another takes twice") {
  SmallPlatform platform(R"(<zone id='z' routing='Wifi'>
                     <prop id='access_point' value='ap'/><router id='ap'/>
                     <host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>
                     <link id='air' sharing_policy='WIFI' bandwidth='1MBps' latency='0us'/>
                   </zone>)");
  CHECK(replay_both_ways(one_kilobyte_put(), *platform).total_s == Approx(2 * 1e-3));
}

TEST_CASE("TCP's window limits a flow to window / (2 x latency), as in SimGrid") {
  SmallPlatform platform(switched(2, "5ms"));
  Body sends = one_region(regions::send, {transfer(TransferKind::send, 1, 1000)});
  sends.add_region(regions::wait, Complete::all());
  Body receives = one_region(regions::receive, {transfer(TransferKind::receive, 0, 1000)});
  receives.add_region(regions::wait, Complete::all());
  const Schedule schedule = schedule_of_ranks({sends, receives}, 1);
  platform.costs().tcp_window_bytes = 10'000;  // over 2 x 10 ms: 0.5 MB/s
  CHECK(replay_both_ways(schedule, *platform).total_s == Approx(1e-3 / 0.5 + 10e-3));
  CHECK(replay::replay(one_kilobyte_put(), *platform).total_s == Approx(1e-3 / 0.5 + 2 * 10e-3));
  platform.costs().tcp_window_bytes = 40'000;  // 2 MB/s: the link has 1
  CHECK(replay_both_ways(schedule, *platform).total_s == Approx(1e-3 + 10e-3));
  ReplayOptions options;
  options.one_flow_per_message = true;
  CHECK_THROWS_WITH(replay::replay(one_kilobyte_put(), *platform, options), Contains("tcp_window"));
}

TEST_CASE("routes of zones with Dijkstra's algorithm, or Floyd's, are found in both simulations") {
  for (const char* routing : {"Dijkstra", "DijkstraCache", "Floyd"}) {
    SmallPlatform platform(fmt::format(
        "<zone id='z' routing='{}'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/><router id='s'/>"
        "<link id='l' bandwidth='1MBps' latency='1us'/><link id='m' bandwidth='2MBps' latency='2us'/>"
        "<route src='a' dst='s'><link_ctn id='l'/></route><route src='s' dst='b'><link_ctn "
        "id='m'/></route></zone>",
        routing));
    CHECK(replay_both_ways(one_kilobyte_put(), *platform).total_s == Approx(1e-3 + 2 * (1e-6 + 2e-6)));
  }
}

TEST_CASE("a rendezvous asks on the way there, and is answered on the way back") {
  SmallPlatform platform(R"(<zone id='z' routing='Full'>
                     <host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>
                     <link id='go' bandwidth='1MBps' latency='1us'/><link id='back' bandwidth='1MBps' latency='1ms'/>
                     <route src='a' dst='b' symmetrical='NO'><link_ctn id='go'/></route>
                     <route src='b' dst='a' symmetrical='NO'><link_ctn id='back'/></route>
                   </zone>)");
  platform.costs().eager_limit_bytes = 0;
  const auto receiver_s = [&](int sender) {
    Body sends = one_region(regions::send, {transfer(TransferKind::send, 1 - sender, 1000)});
    sends.add_region(regions::wait, Complete::all());
    Body receives = one_region(regions::receive, {transfer(TransferKind::receive, sender, 1000)});
    receives.add_region(regions::wait, Complete::all());
    const Schedule schedule =
        sender == 0 ? schedule_of_ranks({sends, receives}, 1) : schedule_of_ranks({receives, sends}, 1);
    return replay::replay(schedule, *platform).total_s;
  };
  CHECK(receiver_s(0) == Approx(1e-6 + 1e-3 + 1e-3 + 1e-6).epsilon(1e-9));
  CHECK(receiver_s(1) == Approx(1e-3 + 1e-6 + 1e-3 + 1e-3).epsilon(1e-9));
}

TEST_CASE("Vivaldi coordinates add to the latency, and SimGrid's own flows would count them twice") {
  SmallPlatform platform(R"(<zone id='z' routing='Vivaldi'>
                     <peer id='a' speed='1Gf' bw_in='1MBps' bw_out='1MBps' coordinates='1 2 3'/>
                     <peer id='b' speed='1Gf' bw_in='1MBps' bw_out='1MBps' coordinates='4 6 6'/>
                   </zone>)");
  // A put of 1 kB takes 1 ms, and the latency twice: a plane of 3 and 4 ms, and the heights 3 and 6 ms.
  CHECK(replay::replay(one_kilobyte_put(), *platform).total_s == Approx(1e-3 + 2 * (5 + 3 + 6) * 1e-3));
  ReplayOptions options;
  options.one_flow_per_message = true;
  CHECK_THROWS_WITH(replay::replay(one_kilobyte_put(), *platform, options), Contains("Vivaldi"));
}

TEST_CASE("a bandwidth that a profile changes counts from then on, in both simulations") {
  for (const char* policy : {"SHARED", "FATPIPE"}) {
    SmallPlatform platform(following("BANDWIDTH", "0.0005 5e5", policy));
    (*platform).changes_over_time = true;
    const Schedule schedule = schedule_of_ranks(
        {one_region(regions::put, {blocking(transfer(TransferKind::put, 1, 1000))}), idle()}, 1, 2);
    // 500 B at 1 MB/s, and all others at 0.5 MB/s.
    CHECK(replay_both_ways(schedule, *platform).total_s == Approx(0.5e-3 + 1.5e-3 / 0.5));
  }
}

TEST_CASE("profiles of anything but a link's numbers are refused, and a latency's where programs fix it") {
  SmallPlatform failing(following("LINK_AVAIL", "0.0005 0"));
  (*failing).changes_over_time = true;
  CHECK_THROWS_WITH(replay::replay(one_kilobyte_put(), *failing), Contains("kind=\"LINK_AVAIL\""));
  check_link_refused(following("LATENCY", "0.0005 1"), "a LATENCY profile changes a link");
}
