// SPDX-License-Identifier: MIT
#include "sim/tune/tune.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "sim/tune/tune_table.hpp"
#include "tests/sim/study/small_study.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using Catch::Matchers::Contains;

namespace {

const TuneEvents silent{.screening = [](std::size_t, std::size_t) {},
                        .simulating = [](std::size_t, std::size_t) {}};

/// four.xml (small_study.hpp) with more properties.
std::filesystem::path platform_with(const test::SmallStudy& small, const std::string& properties) {
  std::ifstream in(small / "four.xml");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  text.insert(text.find("</cluster>"), properties);
  std::ofstream(small / "more.xml") << text;
  return small / "more.xml";
}

TuneQuestion question(const test::SmallStudy& small, const std::filesystem::path& platform) {
  return {.matrix = small / "m.fgm",
          .platforms = {platform},
          .nodes = {2, 4},
          .ranks_per_node = {2},
          .iterations = 10};
}

}  // namespace

TEST_CASE("tune: where a message costs as much as a thousand elements, condensing wins") {
  const test::SmallStudy small;
  const TuneAnswer answer = tune(question(small, small / "four.xml"), {.finalists = 12}, silent);
  CHECK(answer.finalists.front().point->run.policy == Policy::condensed);
  // 8 programs, 2 numbers of nodes, BLOCKSIZE auto and 2^8 to 2^16, block and cyclic.
  CHECK(answer.screened + answer.cannot_run == 8 * 2 * (1 + 9) * 2);
  CHECK(answer.finalists.size() == 12);  // 2 sizes, 7 more programs, and BLOCKSIZEs
  for (std::size_t i = 1; i < answer.finalists.size(); ++i)
    CHECK(*answer.finalists[i - 1].simulated.total_s <= *answer.finalists[i].simulated.total_s);
  // On the number of nodes that came out best, every program was simulated.
  std::set<std::size_t> programs;
  for (const Candidate& finalist : answer.finalists)
    if (finalist.point->run.ranks == answer.finalists.front().point->run.ranks)
      programs.insert(finalist.point->position(Axis::policy));
  CHECK(programs.size() == 8);
}

TEST_CASE("tune: numbers that were measured are not doubted") {
  const test::SmallStudy small;
  const auto doubted = [&](const std::string& measured) {
    const auto platform = platform_with(small, "<prop id=\"measured\" value=\"" + measured + "\"/>");
    return tune(question(small, platform), {.finalists = 2}, silent).numbers.size();
  };
  CHECK(doubted("tau") == (5 - 1) * 2);
  CHECK(doubted("memory_bandwidth memory_bandwidth_per_core cache_line tau remote_bandwidth") == 0);
}

TEST_CASE("tune: twice the answer is the same answer, whatever the number of processes") {
  const test::SmallStudy small;
  const auto rows = [&](int processes) {
    return tune_table(
               tune(question(small, small / "four.xml"), {.finalists = 6, .processes = processes}, silent),
               10)
        .rows;
  };
  CHECK(rows(1) == rows(3));
}

TEST_CASE("tune: nothing that can run is an input error") {
  const test::SmallStudy small;
  TuneQuestion too_many = question(small, small / "four.xml");
  too_many.nodes = {100};
  CHECK_THROWS_WITH(tune(too_many, {}, silent), Contains("nothing can run") && Contains("4 hosts"));
}
