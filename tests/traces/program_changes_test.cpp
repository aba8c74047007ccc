// SPDX-License-Identifier: MIT
#include "traces/program_changes.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace finegrain {
namespace {

FunctionSummary place(const std::string& name, std::int64_t calls) {
  return {.name = RegionName(name), .calls = calls, .ranks_s = {}};
}

/// "before>after" of each pair, "-" where one is missing.
std::vector<std::string> matched(const std::vector<FunctionSummary>& before,
                                 const std::vector<FunctionSummary>& after) {
  std::vector<std::string> pairs;
  for (const PlaceChange& change : match_places(before, after)) {
    const std::string was = change.before ? std::string(before[*change.before].name.text()) : "-";
    const std::string is = change.after ? std::string(after[*change.after].name.text()) : "-";
    pairs.push_back(was.substr(was.find(' ') + 1) + ">" + is.substr(is.find(' ') + 1));
  }
  return pairs;
}

using Pairs = std::vector<std::string>;

TEST_CASE("lines that moved are the same places, also where another call has their old line") {
  CHECK(matched({place("S a.c:8", 10), place("S a.c:9", 20)},
                {place("S a.c:9", 10), place("S a.c:10", 20)}) == Pairs{"a.c:8>a.c:9", "a.c:9>a.c:10"});
}

TEST_CASE("a file that has a longer name, since another of its name is called from now, is the same file") {
  const std::vector<FunctionSummary> one = {place("S a.c:8", 10)};
  const std::vector<FunctionSummary> two = {place("S x/a.c:8", 20), place("S y/a.c:8", 10)};
  CHECK(matched(one, two) == Pairs{"->x/a.c:8", "a.c:8>y/a.c:8"});
  CHECK(matched(two, one) == Pairs{"y/a.c:8>a.c:8", "x/a.c:8>-"});
}

TEST_CASE("a call that makes the same calls in another file has moved there") {
  CHECK(matched({place("S a.c:8", 10), place("R a.c:9", 20), place("S a.c:10", 30)},
                {place("R b.c:1", 20), place("S b.c:2", 10), place("S b.c:3", 7)}) ==
        Pairs{"a.c:9>b.c:1", "a.c:8>b.c:2", "->b.c:3", "a.c:10>-"});
}

TEST_CASE("a new call between two others is new, and one that is gone is gone") {
  const std::vector<FunctionSummary> two = {place("S a.c:8", 10), place("S a.c:20", 10)};
  const std::vector<FunctionSummary> three = {place("S a.c:9", 10), place("S a.c:15", 7),
                                              place("S a.c:22", 10)};
  CHECK(matched(two, three) == Pairs{"a.c:8>a.c:9", "->a.c:15", "a.c:20>a.c:22"});
  CHECK(matched(three, two) == Pairs{"a.c:9>a.c:8", "a.c:22>a.c:20", "a.c:15>-"});
}

TEST_CASE("a call that is made more often is the same place") {
  CHECK(matched({place("S a.c:8", 10)}, {place("S a.c:9", 30)}) == Pairs{"a.c:8>a.c:9"});
}

TEST_CASE("places of other functions are never the same, nor those of other files that do not do the same") {
  CHECK(matched({place("S a.c:8", 10)}, {place("S b.c:8", 11)}) == Pairs{"->b.c:8", "a.c:8>-"});
  CHECK(matched({place("S a.c:8", 10)}, {place("R a.c:8", 10)}) == Pairs{"->a.c:8", "a.c:8>-"});
}

TEST_CASE("names without a line are matched by their texts") {
  CHECK(matched({place("S f (lib.so)", 1), place("Barrier", 2)},
                {place("Barrier", 3), place("S f (lib.so)", 1)}) ==
        Pairs{"Barrier>Barrier", "f (lib.so)>f (lib.so)"});
}

}  // namespace
}  // namespace finegrain
