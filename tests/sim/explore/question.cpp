// SPDX-License-Identifier: MIT
#include "sim/explore/question.hpp"

#include <catch2/catch.hpp>

#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::explore;
using Words = std::vector<std::string>;

namespace {

const Askable askable{.fixed = {"--matrix=heart.fgm"},
                      .problems = {"--heat"},
                      .flags = {"--ranks", "--set", "--platform", "--noise"},
                      .switches = {"--oversubscribe"},
                      .platforms = {"abel"}};

std::string refusal(const std::string& body) {
  try {
    words_of(body, askable);
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

}  // namespace

TEST_CASE("a question becomes the words of a command") {
  CHECK(words_of(R"({"flags": {"--ranks": 64, "--platform": ["abel"], "--oversubscribe": true}})", askable) ==
        Words{"compare", "--matrix=heart.fgm", "--oversubscribe", "--platform=abel", "--ranks=64",
              "--format=json"});
  CHECK(words_of(
            R"({"command": "report", "flags": {"--set": ["tau=x2", "call=1ns"], "--oversubscribe": false}})",
            askable) == Words{"report", "--matrix=heart.fgm", "--set=tau=x2", "--set=call=1ns", "--data"});
}

TEST_CASE("what a question runs instead takes the place of what the command line named") {
  CHECK(words_of(R"({"flags": {"--heat": "2x64"}})", askable) ==
        Words{"compare", "--heat=2x64", "--format=json"});
}

TEST_CASE("a first look is asked for with flags of its own, and within the same limits") {
  CHECK(first_look_of(R"({"flags": {"--ranks": 64}})", askable).empty());
  CHECK(first_look_of(R"({"flags": {"--ranks": 64}, "first_look": {"--ranks": 2}})", askable) ==
        Words{"compare", "--matrix=heart.fgm", "--ranks=2", "--format=json"});
  CHECK_THROWS_AS(first_look_of(R"({"flags": {}, "first_look": {"--write": "x.csv"}})", askable), InputError);
  CHECK_THROWS_AS(first_look_of(R"({"flags": {}, "first_look": 1})", askable), InputError);
}

TEST_CASE("a value is never a flag of its own") {
  CHECK(words_of(R"({"flags": {"--ranks": "--write=/etc/passwd"}})", askable) ==
        Words{"compare", "--matrix=heart.fgm", "--ranks=--write=/etc/passwd", "--format=json"});
}

TEST_CASE("what a page must not ask is refused in one line that says so") {
  CHECK(refusal(R"({"flags": {"--matrix": "/etc/passwd"}})") ==
        "--matrix: a page cannot ask for that. Use the command line");
  CHECK(refusal(R"({"flags": {"--write": "x.csv"}})") ==
        "--write: a page cannot ask for that. Use the command line");
  CHECK(refusal(R"({"flags": {"--platform": "/etc/passwd"}})") ==
        "--platform: /etc/passwd was not named on the command line. Start finegrain explore with it");
  CHECK(refusal(R"({"flags": {"--noise": "/etc/passwd"}})") ==
        "--noise: /etc/passwd is neither fixed nor exponential noise. Use the command line for a file");
  CHECK(refusal(R"({"flags": {"--noise": "fixed:period=1ms,duration=10us"}})") == "taken");
  CHECK(refusal(R"({"flags": {"--ranks": {"a": 1}}})") ==
        "--ranks: its value is no text. Give a text, a number, or a list of them");
  CHECK(refusal(R"({"flags": {"--ranks": "1\u0000"}})") ==
        "--ranks: its value has a zero byte. Leave it out");
  CHECK(refusal(R"({"flags": {"--oversubscribe": 1}})") ==
        "--oversubscribe: its value is neither true nor false. Give one");
  CHECK(refusal(R"({"command": "record", "flags": {}})") ==
        "command: is neither \"compare\" nor \"report\". See docs/explore.md");
  for (const char* body : {"", "[]", "{", R"({"flags": []})", R"("flags")", "\xff"})
    CHECK(refusal(body) == "question: is no JSON object with a member \"flags\". See docs/explore.md");
}
