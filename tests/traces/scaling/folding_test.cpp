// SPDX-License-Identifier: MIT
#include "traces/scaling/folding.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace finegrain;
using namespace finegrain::scaling;

namespace {

/// A send to a rank for each digit.
Program calls(const std::string& peers) {
  Program program;
  for (const char peer : peers) {
    const Post send{.kind = TransferKind::send, .peer = peer - '0', .size_bytes = 8};
    program.push_back(
        {{RegionName(peer == '0' ? "MPI_Barrier" : "MPI_Send"), {send}, {}, 2.0 * (peer - '0'), 0}, {}, 0});
  }
  return program;
}

/// "3 of (1 2)" for a loop whose steps are equal, "(1|2)" for one whose are not.
std::string text(const Program& program) {
  std::string all;
  for (const Part& part : program) {
    if (!all.empty()) all += " ";
    if (!part.is_loop()) {
      all += std::to_string(std::get<Post>(part.call.operations[0]).peer);
      continue;
    }
    if (part.steps.size() == 1) all += std::to_string(part.step_count) + " of ";
    std::string steps;
    for (const Program& step : part.steps)
      steps += (steps.empty() ? "(" : "|") + text(step);
    all += steps + ")";
  }
  return all;
}

}  // namespace

TEST_CASE("what is repeated exactly is a loop, and loops of it are, the shortest first") {
  CHECK(text(folded(calls("0"), First::shortest)) == "0");
  CHECK(text(folded(calls("1110"), First::shortest)) == "3 of (1) 0");
  CHECK(text(folded(calls("0100110011001100"), First::shortest)) == "0 1 3 of (2 of (0) 2 of (1)) 2 of (0)");
  CHECK(text(folded(calls("11201120"), First::shortest)) == "2 of (2 of (1) 2 0)");
}

TEST_CASE("what is repeated with other numbers is a loop in what is repeated exactly") {
  CHECK(text(folded(calls("124012401240"), First::shortest)) == "3 of ((1|2|4) 0)");
  CHECK(text(folded(calls("102030"), First::shortest)) == "(1 0|2 0|3 0)");
  CHECK(text(folded(calls("112233"), First::shortest)) == "(2 of (1)|2 of (2)|2 of (3))");
}

TEST_CASE(
    "the longest loop first: what is repeated in each of its steps may belong to steps with other numbers") {
  CHECK(text(folded(calls("0124421244210"), First::shortest)).find("2 of (4)") != std::string::npos);
  CHECK(text(folded(calls("0124421124421"), First::longest)) == "0 2 of ((1|2|4|4|2|1))");
  CHECK(text(folded(calls("123"), First::longest)) == "(1|2|3)");
}

TEST_CASE("a program without a repetition has loops of one step beside one that has") {
  const auto beside = [](const std::string& program, const std::string& like) {
    const std::optional<Program> found =
        aligned(folded(calls(program), First::shortest), folded(calls(like), First::shortest));
    return found ? text(*found) : "nothing";
  };
  CHECK(beside("010", "01230") == "0 1 of (1) 0");
  CHECK(beside("01230", "01230") == "0 (1|2|3) 0");
  CHECK(beside("00", "01230") == "nothing");
  CHECK(beside("0100", "01230") == "nothing");
}

TEST_CASE("work of a loop's equal steps is their mean") {
  Program program = calls("1111");
  program[0].call.work_ns = 10;
  const Program loop = folded(std::move(program), First::shortest);
  REQUIRE(text(loop) == "4 of (1)");
  CHECK(loop[0].step(3)[0].call.work_ns == Approx((10 + 2 + 2 + 2) / 4.0));
}
