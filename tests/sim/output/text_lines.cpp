// SPDX-License-Identifier: MIT
#include "sim/output/text_lines.hpp"

#include <catch2/catch.hpp>

namespace finegrain::output {

using Lines = std::vector<std::string>;

TEST_CASE("a line is as full as its width lets it be, with the indentation of all but the first") {
  CHECK(in_lines("one two three", 7, "") == Lines{"one two", "three"});
  CHECK(in_lines("one two three", 6, "  ") == Lines{"one", "  two", "  three"});
  CHECK(in_lines("", 7, "  ") == Lines{""});
}

TEST_CASE("what is wider than a line has a line of its own") {
  CHECK(in_lines("a incomprehensibly b", 5, "") == Lines{"a", "incomprehensibly", "b"});
}

TEST_CASE("pieces need no blank between them, and letters of several bytes take one column") {
  CHECK(in_lines({"a,", "b,", "c"}, 4, " ", "") == Lines{"a,b,", " c"});
  CHECK(in_lines("µs µs", 5, "") == Lines{"µs µs"});
}

}  // namespace finegrain::output
