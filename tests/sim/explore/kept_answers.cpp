// SPDX-License-Identifier: MIT
#include "sim/explore/kept_answers.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <string>

using finegrain::explore::KeptAnswers;

TEST_CASE("answers are kept up to the limit, and the one that was not asked for the longest goes first") {
  KeptAnswers kept(100);
  kept.keep({"a"}, std::string(40, 'a'));
  kept.keep({"b"}, std::string(40, 'b'));
  CHECK(kept.find({"a"}) == std::string(40, 'a'));
  kept.keep({"c"}, std::string(40, 'c'));
  CHECK(kept.bytes() == 40 + 40);
  CHECK(kept.find({"a"}) == std::string(40, 'a'));
  CHECK(kept.find({"b"}).empty());
  CHECK(kept.find({"c"}) == std::string(40, 'c'));
}

TEST_CASE("an answer that is longer than all that may be kept is not kept, whatever was before") {
  KeptAnswers kept(100);
  kept.keep({"a"}, std::string(40, 'a'));
  kept.keep({"b"}, std::string(101, 'b'));
  CHECK(kept.find({"b"}).empty());
  CHECK(kept.bytes() == 0);
}

TEST_CASE("a thousand answers of a megabyte take no more than 64 MB") {
  constexpr std::size_t most = 64 * 1024 * 1024;
  constexpr std::size_t megabyte = 1024 * 1024;
  KeptAnswers kept(most);
  for (int i = 0; i < 1000; ++i)
    kept.keep({std::to_string(i)}, std::string(megabyte, 'x'));
  CHECK(kept.bytes() == 64 * megabyte);
  CHECK(kept.find({"935"}).empty());
  CHECK(kept.find({"936"}).size() == megabyte);
}
