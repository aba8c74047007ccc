// SPDX-License-Identifier: MIT
#include "sim/sensitivity/sensitivity.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "../replay/small_platform.hpp"
#include "sim/platform/scaled_links.hpp"

using namespace finegrain;
using namespace finegrain::sensitivity;

namespace {

const Sensitivity& of(const Sensitivities& found, Part part, const std::string& name) {
  for (const Sensitivity& number : found.numbers)
    if (number.number.part == part && number.number.name == name) return number;
  throw std::runtime_error("no " + name);
}

double sum_of(const Sensitivities& found, std::initializer_list<Part> parts) {
  double sum = 0;
  for (const Sensitivity& number : found.numbers)
    if (std::ranges::find(parts, number.number.part) != parts.end()) sum += number.elasticity;
  return sum;
}

Body work_of_bytes(std::int64_t bytes) {
  return one_region(regions::compute, Work{.memory_bytes = bytes});
}

}  // namespace

TEST_CASE(
    "where all time is work over a rate, the elasticities of the rates sum to one, those of the work too") {
  SmallPlatform platform(switched(2));
  // 12 ranks of 1.2 GB each: the node's 75 GB/s are more than 12 x 5 GB/s would need, and less than 12 x 12.
  const Schedule schedule = schedule_of_ranks(std::vector<Body>(12, work_of_bytes(1'200'000'000)), 12);
  const Sensitivities found = sensitivities({.schedule = &schedule, .platform = &*platform}, {}, {});
  CHECK(found.total_s == Approx(12 * 1.2 / 75));
  CHECK(of(found, Part::property, "memory_bandwidth").elasticity == Approx(1));
  CHECK(of(found, Part::property, "memory_bandwidth_per_core").elasticity == Approx(0).margin(1e-9));
  CHECK(sum_of(found, {Part::property, Part::link_bandwidth, Part::link_latency}) == Approx(1));
  CHECK(sum_of(found, {Part::region}) == Approx(1));
}

TEST_CASE("the rank that works longest decides, until another one does") {
  SmallPlatform platform(switched(2));
  // 12 GB/s a core: 0.3 s, and 0.2 s.
  const Schedule schedule =
      schedule_of_ranks({work_of_bytes(3'600'000'000), work_of_bytes(2'400'000'000)}, 2, 10);
  Question question;
  question.speedups = {1.25};
  const Sensitivities found = sensitivities({.schedule = &schedule, .platform = &*platform}, {}, question);
  CHECK(found.total_s == Approx(3));
  const Sensitivity& longest = of(found, Part::rank, "0");
  CHECK(longest.elasticity == Approx(1));
  CHECK(longest.totals_s[2] == Approx(2));  // twice better is 0.15 s, and the other one takes 0.2 s
  CHECK(longest.needed[0].value() == Approx(1.25).epsilon(2e-3));
  CHECK(of(found, Part::rank, "1").elasticity == Approx(0).margin(1e-9));
  CHECK(!of(found, Part::rank, "1").needed[0]);
  CHECK(of(found, Part::property, "memory_bandwidth_per_core").needed[0].value() ==
        Approx(1.25).epsilon(2e-3));
}

TEST_CASE("what the work on nodes of one kind is worth, where not all are alike") {
  SmallPlatform platform(switched(3));
  // Nodes 1 and 2 are slow: half of the bandwidth of a core. 0.3 s on node 0, 0.8 s and 0.4 s on the others.
  (*platform).nodes = {{.name = "fast-0", .cores = {}, .speed = "1Gf"},
                       {.name = "slow-0", .cores = {}, .speed = "1Gf", .memory_bandwidth_per_core = 0.5},
                       {.name = "slow-1", .cores = {}, .speed = "1Gf", .memory_bandwidth_per_core = 0.5}};
  const Schedule schedule = schedule_of_ranks(
      {work_of_bytes(3'600'000'000), work_of_bytes(4'800'000'000), work_of_bytes(2'400'000'000)}, 1);
  Question question;
  question.factors = {1.01, 2};
  question.speedups = {2};
  const Sensitivities found = sensitivities({.schedule = &schedule, .platform = &*platform}, {}, question);
  CHECK(found.total_s == Approx(0.8));
  const Sensitivity& slow = of(found, Part::nodes, "slow-0 and slow-1");
  CHECK(slow.number.now == "66.7 % of work");
  CHECK(slow.totals_s.back() == Approx(0.4));
  CHECK(slow.needed.front().value() == Approx(2).epsilon(0.01));
  CHECK(describe(slow.number) == "work on slow-0 and slow-1");
  CHECK(of(found, Part::nodes, "fast-0").totals_s.back() == Approx(0.8));
  // Two ranks on the fast node alone: there is one kind.
  const Schedule on_one = schedule_of_ranks({work_of_bytes(1'000'000), work_of_bytes(1'000'000)}, 2);
  const Sensitivities of_one = sensitivities({.schedule = &on_one, .platform = &*platform}, {}, question);
  CHECK(std::ranges::none_of(of_one.numbers,
                             [](const Sensitivity& number) { return number.number.part == Part::nodes; }));
}

TEST_CASE("how much worse a number may be until a run takes 5 % longer, and what half as good costs") {
  SmallPlatform platform(switched(2));
  // 12 GB/s a core: 0.3 s, and 0.2 s.
  const Schedule schedule =
      schedule_of_ranks({work_of_bytes(3'600'000'000), work_of_bytes(2'400'000'000)}, 2, 10);
  Question question;
  question.factors = {0.5, 2};
  question.speedups = {1 / 1.05, 1 / 2.};
  const Sensitivities found = sensitivities({.schedule = &schedule, .platform = &*platform}, {}, question);
  const Sensitivity& longest = of(found, Part::rank, "0");
  CHECK(longest.totals_s[0] == Approx(10 * 0.6));
  CHECK(longest.totals_s[1] == Approx(10 * 0.2));
  CHECK(1 / longest.needed[0].value() == Approx(1.05).epsilon(2e-4));
  CHECK(1 / longest.needed[1].value() == Approx(2).epsilon(2e-4));
  CHECK(longest.elasticity == Approx(std::log(3 / 2.) / std::log(2)));
  // Twice its 0.2 s is 0.4 s. From 0.3 s on, it is the one that takes longest.
  const Sensitivity& other = of(found, Part::rank, "1");
  CHECK(other.totals_s[0] == Approx(10 * 0.4));
  CHECK(other.totals_s[1] == Approx(10 * 0.3));
  CHECK(1 / other.needed[0].value() == Approx(0.3 * 1.05 / 0.2).epsilon(2e-4));
  CHECK(1 / of(found, Part::property, "memory_bandwidth_per_core").needed[0].value() ==
        Approx(1.05).epsilon(2e-4));
}

TEST_CASE("how much more latency a message may have until a run takes 1, 2 and 5 % longer") {
  SmallPlatform platform(switched(2, "1us"));
  // A blocking put of 1 MB over two links: 1 s, and two latencies of each link there and back.
  const Schedule schedule = schedule_of_ranks(
      {one_region(regions::put, {blocking(transfer(TransferKind::put, 1, megabyte))}), idle()}, 1);
  Question question;
  question.factors = {0.5};
  question.speedups = {1 / 1.01, 1 / 1.02, 1 / 1.05};
  const Sensitivities found = sensitivities({.schedule = &schedule, .platform = &*platform}, {}, question);
  const double latencies_s = found.total_s - 1;
  const auto latency = std::ranges::find(found.numbers, Part::link_latency,
                                         [](const Sensitivity& number) { return number.number.part; });
  REQUIRE(latency != found.numbers.end());
  for (const auto& [place, longer] : {std::pair(0, 0.01), std::pair(1, 0.02), std::pair(2, 0.05)})
    CHECK(1 / latency->needed[static_cast<std::size_t>(place)].value() ==
          Approx(1 + longer * found.total_s / latencies_s).epsilon(1e-3));
}

TEST_CASE("a get's time divides into overhead, two latencies of each link and its bytes") {
  SmallPlatform platform(switched(2, "1us"));
  platform.costs().message_overhead_s = 6e-6;
  Body get;
  get.begin_region(regions::get);
  get.add(Post{.kind = TransferKind::get, .blocking = true, .peer = 1, .size_bytes = 10});
  Body idle;
  idle.begin_region(regions::compute);
  const Schedule schedule = schedule_of_ranks({get, idle}, 1);
  Question question;
  question.factors = {1.0001, 2};
  const Sensitivities found = sensitivities({.schedule = &schedule, .platform = &*platform}, {}, question);
  // 6 us + there and back over two links of 1 us + 10 B at 1 MB/s.
  CHECK(found.total_s == Approx(6e-6 + 4e-6 + 10e-6));
  CHECK(of(found, Part::property, "message_overhead").elasticity == Approx(6.0 / 20).epsilon(1e-3));
  CHECK(of(found, Part::link_latency, "links of c").elasticity == Approx(4.0 / 20).epsilon(1e-3));
  CHECK(of(found, Part::link_bandwidth, "links of c").elasticity == Approx(10.0 / 20).epsilon(1e-3));
  CHECK(of(found, Part::link_bandwidth, "links of c").totals_s[1] == Approx(15e-6));
  CHECK(found.numbers.front().number.part == Part::link_bandwidth);
}

TEST_CASE("calls for single elements are a row where a program makes them, and none where it does not") {
  SmallPlatform platform(switched(1));
  platform.costs().call_s = 1e-6;
  platform.costs().search_step_s = 1e-6;
  const Schedule schedule =
      schedule_of_ranks({one_region(regions::compute, Work{.memory_bytes = 12'000, .calls = 9})}, 1);
  const Sensitivities found = sensitivities({.schedule = &schedule, .platform = &*platform}, {}, {});
  CHECK(found.total_s == Approx(9e-6 + 12'000 / 12e9));
  CHECK(of(found, Part::property, "call").elasticity == Approx(0.9).epsilon(1e-2));
  CHECK_THROWS(of(found, Part::property, "search_step"));
}

TEST_CASE("links are told apart by their cluster, their backbone, and their ids without the numbers") {
  SmallPlatform platform(
      "<zone id='world' routing='Full'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>"
      "<link id='up-1' bandwidth='1MBps' latency='1us'/><link id='up-2' bandwidth='1000kBps' latency='1us'/>"
      "<link id='spine' bandwidth='3MBps' latency='0us'/></zone>");
  const auto classes = platform::link_classes((*platform).file);
  REQUIRE(classes.size() == 2);
  CHECK(classes[0].name == "link up-*");
  CHECK(classes[0].bandwidth_bytes_per_s.value() == 1e6);
  CHECK(classes[1].name == "link spine");
}

namespace {

/// Sixteen links up-0 to up-15 of these bandwidths in MB/s.
std::string links_up(const std::function<int(int)>& bandwidth_of) {
  std::string zone = "<zone id='world' routing='Full'><host id='a' speed='1Gf'/>";
  for (int link = 0; link < 16; ++link)
    zone += "<link id='up-" + std::to_string(link) + "' bandwidth='" + std::to_string(bandwidth_of(link)) +
            "MBps' latency='1us'/>";
  return zone + "</zone>";
}

}  // namespace

TEST_CASE("a slower link among fifteen others is a class of its own, and is scaled alone") {
  SmallPlatform platform(links_up([](int link) { return link == 7 ? 1 : 2; }));
  const auto classes = platform::link_classes((*platform).file);
  REQUIRE(classes.size() == 2);
  CHECK(classes[0].name == "link up-*: 15 from up-0 to up-15");
  CHECK(classes[0].bandwidth_bytes_per_s.value() == 2e6);
  CHECK(classes[1].name == "link up-7");
  const platform::ScaledPlatform scaled(*platform, {.bandwidth = 4, .links = "link up-7"});
  const auto faster = platform::link_classes(scaled.platform().file);
  REQUIRE(faster.size() == 2);
  CHECK(faster[0].bandwidth_bytes_per_s.value() == 2e6);
  CHECK(faster[1].bandwidth_bytes_per_s.value() == 4e6);
}

TEST_CASE("of many kinds of links, the seven slowest are told apart, and the others are one class") {
  SmallPlatform platform(links_up([](int link) { return 16 - link; }));
  const auto classes = platform::link_classes((*platform).file);
  REQUIRE(classes.size() == 8);
  CHECK(classes[0].name == "link up-*: 9 faster ones");
  CHECK(classes[0].bandwidth_bytes_per_s.value() == 8e6);
  CHECK(classes[7].name == "link up-15");
}

namespace {

/// One rank that does these loops.
class LoopsOfOneRank : public Programs {
 public:
  explicit LoopsOfOneRank(std::vector<Loop> loops) : loops_(std::move(loops)) {}
  int ranks() const override { return 1; }
  std::unique_ptr<ProgramCursor> rank(int /*rank*/) const override {
    struct Cursor : ProgramCursor {
      std::span<const Loop> left;
      const Loop* next() override {
        if (left.empty()) return nullptr;
        const Loop* const loop = &left.front();
        left = left.subspan(1);
        return loop;
      }
    };
    auto cursor = std::make_unique<Cursor>();
    cursor->left = loops_;
    return cursor;
  }

 private:
  std::vector<Loop> loops_;
};

Sensitivities sensitivities_of(const Programs& programs) {
  SmallPlatform platform(switched(1));
  Schedule run;
  run.run.ranks = 1;
  run.run.ranks_per_node = 1;
  return sensitivities({.schedule = &run, .platform = &*platform, .programs = &programs}, {}, {});
}

}  // namespace

TEST_CASE("the timed work of a recorded program becomes less, by region and by rank") {
  Body body;
  body.begin_region(RegionName("long")).add(Work{.is_timed = true});
  body.begin_region(RegionName("short")).add(Work{.is_timed = true});
  const std::vector<double> seconds{3, 1};
  const Sensitivities found =
      sensitivities_of(LoopsOfOneRank({{std::make_shared<const Body>(body), 5, seconds}}));
  CHECK(found.total_s == Approx(20));
  CHECK(of(found, Part::region, "long").totals_s[2] == Approx(5 * (1.5 + 1)));
  CHECK(of(found, Part::region, "short").totals_s[2] == Approx(5 * (3 + 0.5)));
  CHECK(of(found, Part::rank, "0").totals_s[2] == Approx(10));
  CHECK(of(found, Part::rank, "0").elasticity == Approx(1));
}

TEST_CASE("work between the calls of a recorded program has a row for each place") {
  const auto call = [](const char* function) {
    Body body;
    body.add_region(regions::compute, Work{.is_timed = true});
    body.begin_region(RegionName(function));
    if (std::string_view(function).starts_with("MPI_")) body.add(Collective{});
    return std::make_shared<const Body>(body);
  };
  const std::vector<double> three{3, 0};
  const std::vector<double> two{2, 0};
  const std::vector<double> one{1, 0};
  const Sensitivities found = sensitivities_of(LoopsOfOneRank(
      {{call("MPI_Barrier"), 1, three}, {call("Pcontrol 7"), 1, two}, {call("MPI_Barrier"), 1, one}}));
  CHECK(found.total_s == Approx(6));
  CHECK(of(found, Part::region, "compute").totals_s[2] == Approx(3));
  CHECK(of(found, Part::region, "compute before the first call").totals_s[2] == Approx(1.5 + 2 + 1));
  CHECK(of(found, Part::region, "compute after MPI_Barrier").totals_s[2] == Approx(3 + 1 + 1));
  CHECK(of(found, Part::region, "compute after Pcontrol 7").totals_s[2] == Approx(3 + 2 + 0.5));
}

TEST_CASE("noise: how much longer detours may be until the run is 5 % longer") {
  SmallPlatform platform(switched(2));
  // 12 GB/s a core: 1 s without noise. Detours take a hundredth of the time: 1 / 0.99 s. 5 % later, what is
  // left for work is 0.99 / 1.05 of the time.
  const Schedule schedule = schedule_of_ranks({work_of_bytes(12'000'000'000)}, 1, 1);
  const replay::Noise noise{.kind = replay::Noise::Kind::fixed, .period_s = 1e-3, .duration_s = 1e-5};
  Question question;
  question.factors = {0.5, 2};
  question.speedups = {1 / 1.05};
  replay::ReplayOptions options;
  options.repeat_tolerance = 0;
  const Sensitivities found =
      sensitivities({.schedule = &schedule, .platform = &*platform, .noise = &noise}, options, question);
  CHECK(found.total_s == Approx(1 / 0.99).epsilon(1e-4));
  const Sensitivity& number = of(found, Part::noise, "noise");
  CHECK(number.totals_s.front() == Approx(1 / 0.98).epsilon(1e-4));
  CHECK(number.totals_s.back() == Approx(1 / 0.995).epsilon(1e-4));
  REQUIRE(number.needed.front());
  CHECK(1 / *number.needed.front() == Approx((1 - 0.99 / 1.05) / 0.01).epsilon(0.01));
}

namespace {

/// Rank 0 sends 1 MB to rank 1.
Sensitivities of_a_megabyte(SmallPlatform& platform) {
  Body sending = one_region(regions::send, {transfer(TransferKind::send, 1, megabyte)});
  sending.add_region(regions::wait, Complete::all());
  Body receiving = one_region(regions::receive, {transfer(TransferKind::receive, 0, megabyte)});
  receiving.add_region(regions::wait, Complete::all());
  const Schedule schedule = schedule_of_ranks({sending, receiving}, 1);
  return sensitivities({.schedule = &schedule, .platform = &*platform}, {}, {});
}

}  // namespace

TEST_CASE("a link whose bandwidth was set gains by a better one as any other") {
  SmallPlatform platform(R"(<zone id="all" routing="Full">
  <prop id="link_change" value="link:wan bandwidth=100kBps"/>
  <host id="node-0" speed="1Gf"/><host id="node-1" speed="1Gf"/>
  <link id="wan" bandwidth="1MBps" latency="0us"/>
  <route src="node-0" dst="node-1"><link_ctn id="wan"/></route></zone>)");
  const Sensitivities found = of_a_megabyte(platform);
  CHECK(found.total_s == Approx(1 / 0.1));
  const Sensitivity& link = of(found, Part::link_bandwidth, "link wan");
  CHECK(link.elasticity == Approx(1));
  CHECK(link.number.now == "100 kB/s");
}

TEST_CASE("a link of a cluster that was set is the slowest of its class") {
  SmallPlatform platform(
      "<cluster id='c' prefix='node-' suffix='' radical='0-1' speed='1Gf' bw='1MBps' lat='0us' "
      "sharing_policy='SPLITDUPLEX'><prop id='link_change' "
      "value='link:c_link_0_UP bandwidth=100kBps'/></cluster>");
  const Sensitivities found = of_a_megabyte(platform);
  CHECK(found.total_s == Approx(1 / 0.1));
  CHECK(of(found, Part::link_bandwidth, "links of c").number.now == "100 kB/s");
}

TEST_CASE("the limiters of a cluster are links, too") {
  SmallPlatform platform(switched(2, "0us", "limiter_link='500kBps'"));
  const Sensitivities found = of_a_megabyte(platform);
  CHECK(found.total_s == Approx(1 / 0.5));
  CHECK(of(found, Part::link_bandwidth, "limiters of c").elasticity == Approx(1));
}
