// SPDX-License-Identifier: MIT
#include "sim/platform_make/measured_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <pugixml.hpp>
#include <string>

#include "refused.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform_make/made_platform.hpp"
#include "sim/platform_make/point_fits.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"
#include "traces/io/units.hpp"

using namespace finegrain;
using namespace finegrain::platform_make;
using Catch::Contains;

namespace {

// A network as the replay has it: a message takes o + L + size / bandwidth, and 2 L more if it asks first.
constexpr double o_us = 0.4;
constexpr double route_us = 1.2;
constexpr double bytes_per_us = 12500;  // 12.5 GB/s
constexpr double asks_above_bytes = 16384;
constexpr double one_way_us = o_us + route_us;

double latency_us(double size) {
  return one_way_us + size / bytes_per_us + (size > asks_above_bytes ? 2 * route_us : 0);
}

std::string osu_latency(double extra_us = 0) {
  std::string text =
      "Warning: a launcher's line\n# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n";
  for (double size = 1; size <= 4194304; size *= 2)
    text += fmt::format("{:<10.0f} {:20.4f}\n", size, latency_us(size) + extra_us);
  return text;
}

/// 64 messages and a reply take (64 + 1) o + 2 L, or as long as their bytes.
std::string osu_bw() {
  std::string text = "# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n";
  for (double size = 1; size <= 4194304; size *= 2) {
    const double window_us = std::max(65 * o_us + 2 * route_us, 64 * size / bytes_per_us + 2 * one_way_us);
    text += fmt::format("{:<10.0f} {:20.5f}\n", size, 64 * size / window_us);
  }
  return text;
}

std::string ping_pong() {
  std::string text =
      "#----\n# Benchmarking PingPong\n# #processes = 2\n#----\n"
      "       #bytes #repetitions      t[usec]   Mbytes/sec\n"
      "            0         1000 " +
      fmt::format("{:.3f}", one_way_us) + "  0.00\n";
  for (double size = 1; size <= 4194304; size *= 2)
    text += fmt::format("{:.0f} 1000 {:.3f} {:.2f}\n", size, latency_us(size), size / latency_us(size));
  return text +
         "\n# Benchmarking PingPing\n       #bytes #repetitions      t[usec]   Mbytes/sec\n 1 1000 99.9 1\n";
}

MeasuredPoints points_of(const std::vector<std::string>& texts) {
  const test::TemporaryFolder scratch;
  MeasuredPoints points;
  for (std::size_t text = 0; text < texts.size(); ++text) {
    const auto file =
        scratch / ("measured" + std::to_string(text) + (texts[text].starts_with('<') ? ".xml" : ".txt"));
    test::write_bytes(file, texts[text]);
    add_measured_file(file, points);
  }
  return points;
}

const Number typical_overhead{"300ns", "typical", true};

Numbers numbers_of(const std::vector<std::string>& texts, const Numbers& given = {}) {
  return numbers_of_points(points_of(texts), given, typical_overhead);
}

double time_of(const Numbers& numbers, const char* name) {
  return parse_time_s(numbers.at(name).text, name);
}

/// Up to 2 KiB a message takes 1 ns a byte; longer ones take 3 us and 0.08 ns a byte.
double us_of_two_lines(double size) {
  return one_way_us + (size <= 2048 ? size / 1000 : 3 + size / bytes_per_us) +
         (size > asks_above_bytes ? 2 * route_us : 0);
}

/// Each off by up to 1 %, one way and the other.
std::string osu_latency_of_two_lines() {
  std::string text = "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n";
  int number = 0;
  for (double size = 1; size <= 4194304; size *= 2)
    text += fmt::format("{:.0f} {:.4f}\n", size, us_of_two_lines(size) * (1 + 0.01 * std::sin(++number)));
  return text;
}

Numbers with_factors(const std::vector<std::string>& texts) {
  const MeasuredPoints points = points_of(texts);
  Numbers numbers = numbers_of_points(points, {}, typical_overhead);
  add_size_factors(points, numbers);
  return numbers;
}

}  // namespace

TEST_CASE("measured: osu_latency and osu_bw give overhead, latency, bandwidth and eager limit") {
  const Numbers numbers = numbers_of({osu_latency(), osu_bw()});
  CHECK(time_of(numbers, "message_overhead") == Approx(o_us * 1e-6).epsilon(0.002));
  CHECK(time_of(numbers, "link_latency") == Approx(route_us / 2 * 1e-6).epsilon(0.002));  // two links
  CHECK(numbers.at("eager_limit").text == "16384B");
  // 64 x 4 MiB take 21475 us, and a reply 3.2: the most is a little less than the link has.
  CHECK(parse_bandwidth_bytes_per_s(numbers.at("link_bandwidth").text, "") == Approx(12.5e9).epsilon(0.001));
  CHECK_THAT(numbers.at("message_overhead").origin,
             Contains("measured1.txt:3: (64 x ") && Contains("measured0.txt:4"));
  CHECK_THAT(numbers.at("eager_limit").origin, Contains("measured0.txt:18: the next size takes 2.4"));
}

TEST_CASE("measured: latencies alone give a latency beside the given or typical overhead") {
  const Numbers with_typical = numbers_of({osu_latency()});
  CHECK_FALSE(with_typical.contains("message_overhead"));
  CHECK(time_of(with_typical, "link_latency") == Approx((one_way_us - 0.3) / 2 * 1e-6).epsilon(0.001));
  CHECK_THAT(with_typical.at("link_latency").origin,
             Contains("message_overhead 300ns) / 2 links, if the nodes are neighbours"));
  const Numbers given{{"message_overhead", {"1us", "given"}}};
  CHECK(time_of(numbers_of({osu_latency()}, given), "link_latency") ==
        Approx((one_way_us - 1) / 2 * 1e-6).epsilon(0.001));
  // (4 MiB - 2 MiB) / (t - t)
  CHECK(parse_bandwidth_bytes_per_s(with_typical.at("link_bandwidth").text, "") ==
        Approx(12.5e9).epsilon(0.001));
}

TEST_CASE("measured: IMB's PingPong gives what osu_latency does, and its next benchmark nothing") {
  const Numbers of_imb = numbers_of({ping_pong()});
  const Numbers of_osu = numbers_of({osu_latency()});
  CHECK(time_of(of_imb, "link_latency") == Approx(time_of(of_osu, "link_latency")).epsilon(0.002));
  CHECK(of_imb.at("eager_limit").text == of_osu.at("eager_limit").text);
}

TEST_CASE("measured: latencies without a step say nothing of an eager limit") {
  std::string text = "# OSU MPI Latency Test v5.6.3\n# Size          Latency (us)\n";
  for (double size = 1; size <= 4194304; size *= 2)
    text += fmt::format("{:.0f} {:.3f}\n", size, one_way_us + size / bytes_per_us);
  CHECK_FALSE(numbers_of({text}).contains("eager_limit"));
}

TEST_CASE("measured: a calibrated platform gives what it has, and names what is not taken") {
  const MeasuredPoints points =
      points_of({"<?xml version=\"1.0\"?>\n<platform version=\"4.1\">\n<cluster id=\"c\" prefix=\"n\" "
                 "suffix=\"\" radical=\"0-1\" "
                 "speed=\"1Gf\" core=\"4\" lat=\"9us\" bw=\"1.1GBps\">\n<prop id=\"memory_bandwidth\" "
                 "value=\"40GBps\"/>\n"
                 "<prop id=\"message_overhead\" value=\"2us\"/>\n<prop id=\"tau\" value=\"30us\"/>\n"
                 "<prop id=\"request_bytes\" value=\"64000B\"/>\n</cluster>\n</platform>\n"});
  const Numbers numbers = numbers_of_points(points, {}, typical_overhead);
  CHECK(numbers.at("link_latency").text == "9us");
  CHECK(numbers.at("link_bandwidth").text == "1.1GBps");
  CHECK(numbers.at("memory_bandwidth").text == "40GBps");
  CHECK_THAT(numbers.at("message_overhead").origin,
             Contains("measured0.xml:5: message_overhead of a calibrated machine"));
  REQUIRE(points.notes.size() == 1);
  CHECK_THAT(points.notes.front(), Contains("not taken: request_bytes"));
}

TEST_CASE("measured: a made file says how each number was found, and the line goes before it") {
  const test::TemporaryFolder scratch;
  test::write_bytes(scratch / "latency.txt", osu_latency());
  test::write_bytes(scratch / "bw.txt", osu_bw());
  const auto made = [&](const std::string& line) {
    return make_platform({.line = line, .measured = {scratch / "latency.txt", scratch / "bw.txt"}},
                         Missing::taken_as_typical)
        .xml;
  };
  const std::string xml = made("switch: 2 nodes; node: 4 cores");
  CHECK_THAT(xml, Contains("lat=\"600ns\"") && Contains("<!-- lat, of each link: ") &&
                      Contains("latency.txt:4: (1.6 us of 1 B"));
  CHECK_THAT(xml, Contains("bw.txt:25: the most of osu_bw, at 4194304 B"));
  CHECK_THAT(
      xml, Contains("typical, not given: platforms/hdr_infiniband.xml -->\n    <prop id=\"local_latency\""));
  CHECK_THAT(made("switch: 2 nodes; node: 4 cores; link: 5us 100Gbps"),
             Contains("lat=\"5us\"") && Contains("bw=\"100Gbps\""));
}

TEST_CASE("measured: what is wrong is named with its line") {
  const auto refused = [](const std::vector<std::string>& texts, const std::string& problem) {
    test::check_refusal([&] { numbers_of(texts); }, problem);
  };
  refused({"# OSU MPI Latency Test\n1 1.5\n1 1.6\n"}, "measured0.txt:3: the size 1 does not follow 1");
  refused({"# OSU MPI Latency Test\n1 x\n"}, "measured0.txt:2: '1 x' is not a line of the table");
  refused({"# OSU MPI Latency Test\n1 -2\n"}, "measured0.txt:2: the size or the value is out of range");
  refused({"# OSU MPI Allreduce Latency Test\n1 2\n"},
          "measured0.txt:1: 'Allreduce Latency Test' says nothing of");
  refused({"# OSU MPI Bi-Directional Bandwidth Test\n1 2\n"},
          "says nothing of one message between two nodes");
  refused({osu_latency(), ping_pong()}, "measured1.txt:2: it is a second table of this kind");
  refused({"a text\n"}, "no benchmark's title is in it");
  refused({"# OSU MPI Latency Test\n1 0.2\n"},
          "measured0.txt:2: the latency of 200 ns is not longer than message_overhead, 300ns");
  refused({"<platform/>\n"}, "there is no cluster and no zone in it");
}

TEST_CASE("measured: latencies on two lines give factors by size, and those on one line none") {
  const Numbers of_one = with_factors({osu_latency(), osu_bw()});
  CHECK_FALSE(of_one.contains("latency_factors"));
  CHECK_FALSE(of_one.contains("bandwidth_factors"));
  const Numbers numbers = with_factors({osu_latency_of_two_lines(), osu_bw()});
  REQUIRE(numbers.contains("latency_factors"));
  CHECK_THAT(numbers.at("latency_factors").text, Contains("0B:") && Contains(";2048B:"));
  CHECK(std::ranges::count(numbers.at("latency_factors").text, ';') == 1);
  CHECK_THAT(numbers.at("latency_factors").origin, Contains("lie on 2 lines") && Contains("measured0.txt:3"));
}

TEST_CASE("measured: a made platform takes what messages take that were not measured") {
  const test::TemporaryFolder scratch;
  test::write_bytes(scratch / "latency.txt", osu_latency_of_two_lines());
  test::write_bytes(scratch / "bw.txt", osu_bw());
  const MadePlatform made =
      make_platform({.line = "switch: 4 nodes", .measured = {scratch / "latency.txt", scratch / "bw.txt"}},
                    Missing::taken_as_typical);
  test::write_bytes(scratch / "made.xml", made.xml);
  const platform::Platform platform = platform::read_platform(scratch / "made.xml");
  const platform::PlatformCosts& costs = platform.costs;
  pugi::xml_document xml;
  REQUIRE(xml.load_string(made.xml.c_str()));
  const pugi::xml_node cluster = xml.select_node("//cluster").node();
  const double latency_s = 2 * parse_time_s(cluster.attribute("lat").value(), "");
  const double bandwidth = parse_bandwidth_bytes_per_s(cluster.attribute("bw").value(), "");
  for (const double size : {3., 100., 1500., 3000., 6000., 10'000., 20'000., 100'000., 3e6, 1e7}) {
    const double handshake_s = size > *costs.eager_limit_bytes ? 2 * latency_s : 0;
    const double time_s = costs.message_overhead_s + handshake_s +
                          latency_s * costs.latency_factors.of(size) +
                          size / (bandwidth * costs.bandwidth_factors.of(size));
    CHECK(time_s * 1e6 == Approx(us_of_two_lines(size)).epsilon(0.05));
  }
}

TEST_CASE("measured: a typical eager limit, of which the latencies know nothing, needs no factors") {
  std::string text = "# OSU MPI Latency Test v5.6.3\n# Size          Latency (us)\n";
  for (double size = 1; size <= 4194304; size *= 2)
    text += fmt::format("{:.0f} {:.3f}\n", size, one_way_us + size / bytes_per_us);
  const test::TemporaryFolder scratch;
  test::write_bytes(scratch / "latency.txt", text);
  const std::string xml = make_platform({.line = "switch: 4 nodes", .measured = {scratch / "latency.txt"}},
                                        Missing::taken_as_typical)
                              .xml;
  CHECK_THAT(xml, Contains("eager_limit") && !Contains("latency_factors"));
}
