// SPDX-License-Identifier: MIT
#include "sim/tune/declared_numbers.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/kernels/problem/temporary_folder.hpp"

using namespace finegrain;
using namespace finegrain::study;
using namespace finegrain::tune;

namespace {

std::vector<std::string> texts(const std::vector<ChangedNumber>& numbers) {
  std::vector<std::string> texts;
  for (const ChangedNumber& number : numbers)
    texts.push_back(number.text);
  return texts;
}

bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

std::filesystem::path platform_file(const test::TemporaryFolder& folder, const std::string& properties) {
  test::write_bytes(folder / "p.xml", R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us" sharing_policy="SPLITDUPLEX">
    <prop id="memory_bandwidth" value="10GBps"/>
    <prop id="memory_bandwidth_per_core" value="5GBps"/>
    <prop id="tau" value="4us"/>
    <prop id="message_overhead" value="2us"/>
)" + properties + "</cluster></platform>\n");
  return folder / "p.xml";
}

}  // namespace

TEST_CASE(
    "declared numbers: all that a simulation uses, links included, and none that only the closed form does") {
  const test::TemporaryFolder folder;
  const std::vector<std::string> tried = texts(changed_numbers(platform_file(folder, ""), {"--set", {}}));
  for (const std::string name : {"memory_bandwidth", "memory_bandwidth_per_core", "cache_line",
                                 "message_overhead", "link_bandwidth", "link_latency"}) {
    CHECK(has(tried, name + " x1.2"));
    CHECK(has(tried, name + " /1.2"));
  }
  CHECK_FALSE(has(tried, "tau x1.2"));
  CHECK_FALSE(has(tried, "local_latency x1.2"));  // it is 0
}

TEST_CASE("declared numbers: those that were measured are not doubted") {
  const test::TemporaryFolder folder;
  const auto file =
      platform_file(folder, R"(<prop id="measured" value="memory_bandwidth message_overhead"/>)");
  const std::vector<std::string> tried = texts(changed_numbers(file, {"--set", {}}));
  CHECK_FALSE(has(tried, "memory_bandwidth x1.2"));
  CHECK_FALSE(has(tried, "link_latency x1.2"));  // found together with message_overhead
  CHECK(has(tried, "link_bandwidth x1.2"));
}

TEST_CASE("declared numbers: what is set is what is changed") {
  const test::TemporaryFolder folder;
  const PlatformChange set{
      "--set", {{"message_overhead", "10us"}, {"memory_bandwidth", "x2"}, {"link_latency", "x3"}}};
  const auto numbers = changed_numbers(platform_file(folder, ""), set);
  const auto value = [&](const std::string& text, const std::string& name) {
    return std::ranges::find(numbers, text, &ChangedNumber::text)->change.values.at(name);
  };
  CHECK(std::stod(value("message_overhead x1.2", "message_overhead")) == Approx(10e-6 * 1.2));
  CHECK(std::stod(value("memory_bandwidth x1.2", "memory_bandwidth")) == Approx(10e9 * 2 * 1.2));
  CHECK(std::stod(value("link_latency x1.2", "link_latency").substr(1)) == Approx(3 * 1.2));
  CHECK(value("cache_line x1.2", "link_latency") == "x3");
}

TEST_CASE("declared numbers: another wins where it is faster with the number changed") {
  const std::vector<NumberTried> numbers{{0, "message_overhead x1.2", {1.3, 1.1, 3.0}},
                                         {0, "message_overhead /1.2", {0.9, 1.1, 3.0}},
                                         {0, "link_latency x1.2", {1.1, {}, 1.0999}},
                                         {0, "link_latency /1.2", {1.0, {}, 0.5}}};
  const std::vector<OtherWinner> others = other_winners(numbers);
  REQUIRE(others.size() == 2);
  CHECK(others[0].number->text == "message_overhead x1.2");
  CHECK(others[0].winner == 1);
  CHECK(others[1].winner == 2);
}
