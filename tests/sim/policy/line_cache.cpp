// SPDX-License-Identifier: MIT
#include "sim/policy/line_cache.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <random>
#include <vector>

using namespace finegrain::policy;

namespace {

/// MuPC's, as the paper measured it (section 6).
constexpr CacheShape mupc{.line_bytes = 1024, .lines = 256};

/// Reads that found no line.
std::int64_t misses(LineCache& cache, const std::vector<std::int64_t>& lines) {
  std::int64_t count = 0;
  for (const std::int64_t line : lines)
    count += cache.access(line, false).is_hit ? 0 : 1;
  return count;
}

CacheShape with_victims(std::int64_t victims) {
  CacheShape shape = mupc;
  shape.victims = victims;
  return shape;
}

/// Misses of lines 0 and 256, which have one place, read in turn so many times.
std::int64_t misses_of_two_in_turn(const CacheShape& shape, int times) {
  LineCache cache(shape);
  std::int64_t count = 0;
  for (int i = 0; i < times; ++i)
    count += misses(cache, {0, 256});
  return count;
}

}  // namespace

TEST_CASE("line cache: two lines of one place drive each other out, unless victims are kept") {
  CHECK(misses_of_two_in_turn(mupc, 10) == 2 * 10);
  CHECK(misses_of_two_in_turn(with_victims(1), 10) == 2);
  CHECK(misses_of_two_in_turn(with_victims(8), 10) == 2);
  CacheShape two_ways = mupc;
  two_ways.ways = 2;  // 128 sets
  CHECK(misses_of_two_in_turn(two_ways, 10) == 2);
}

TEST_CASE("line cache: of a set, the line goes that was used longest ago") {
  LineCache cache({.line_bytes = 8, .lines = 2, .ways = 2});
  CHECK(misses(cache, {1, 2}) == 2);
  CHECK(misses(cache, {1}) == 0);
  CHECK(misses(cache, {3}) == 1);  // instead of 2
  CHECK(misses(cache, {1}) == 0);
  CHECK(misses(cache, {2}) == 1);
}

TEST_CASE("line cache: a victim's place is by its number, and what was there is gone") {
  // One place, and two for victims: of even and of odd numbers.
  LineCache cache({.line_bytes = 8, .lines = 1, .victims = 2});
  CHECK(misses(cache, {0, 1, 2}) == 3);  // 0 and 1 are victims
  CHECK(misses(cache, {1}) == 0);        // 2 takes the place of 0
  CHECK(misses(cache, {2}) == 0);
  CHECK(misses(cache, {0}) == 1);
}

TEST_CASE("line cache: every element of a matrix product's second factor comes once") {
  // C = A B with 240 x 240 doubles. B's columns are dealt out in blocks. A rank goes twice over all of B.
  constexpr std::int64_t n = 240;
  const auto misses_of_a_rank = [&](std::int64_t ranks) {
    const std::int64_t columns = n / ranks;
    std::map<std::int64_t, LineCache> caches;
    std::int64_t count = 0;
    for (int row = 0; row < 2; ++row) {
      for (std::int64_t j = 0; j < n; ++j) {
        if (j / columns == 0) continue;  // its own
        for (std::int64_t k = 0; k < n; ++k) {
          LineCache& cache = caches.try_emplace(j / columns, mupc).first->second;
          count += cache.access((k * columns + j % columns) * 8 / 1024, false).is_hit ? 0 : 1;
        }
      }
    }
    return count;
  };
  CHECK(misses_of_a_rank(12) == 38 * 11);  // 240 * 20 * 8 B are 37.5 lines of each of the 11 others
  CHECK(misses_of_a_rank(2) == 225);       // 240 * 120 * 8 B
}

TEST_CASE("line cache: at random on more lines than it has, it finds as many as it has of them") {
  // 2^20 ints on 12 ranks are 349,528 B each: 342 lines on 256 places.
  LineCache cache(mupc);
  std::mt19937 random(1);
  const auto hits_of = [&](int accesses) {
    int hits = 0;
    for (int i = 0; i < accesses; ++i)
      hits += cache.access(static_cast<std::int64_t>(random() % 342), true).is_hit ? 1 : 0;
    return hits;
  };
  hits_of(10'000);
  CHECK(hits_of(200'000) / 200'000. == Approx(256. / 342).margin(0.005));
}

TEST_CASE("line cache: a line that was written to goes back when it leaves, and only then") {
  LineCache cache(mupc);
  CHECK_FALSE(cache.access(0, true).written_back);
  CHECK(cache.access(0, false).is_hit);
  CHECK(cache.access(256, false).written_back == 0);
  CHECK_FALSE(cache.access(0, false).written_back);  // 256 was only read
  CHECK_FALSE(cache.access(256, false).written_back);
}

TEST_CASE("line cache: a victim that was written to goes back when it leaves the victims") {
  LineCache cache(with_victims(1));
  cache.access(0, true);
  CHECK_FALSE(cache.access(256, false).written_back);  // 0 is a victim
  CHECK_FALSE(cache.access(0, false).written_back);    // and comes back, still to be written
  CHECK_FALSE(cache.access(256, false).written_back);
  CHECK(cache.access(512, false).written_back == 0);  // 256 takes its place
}

TEST_CASE("line cache: invalidated, it says which lines were written to, and has none") {
  LineCache cache(with_victims(1));
  cache.access(3, true);
  cache.access(0, true);
  cache.access(256, true);
  cache.access(7, false);
  CHECK(cache.invalidate() == std::vector<std::int64_t>{0, 3, 256});
  CHECK(cache.invalidate().empty());
  CHECK(misses(cache, {3, 0, 256, 7}) == 4);
}

TEST_CASE("line cache: where writes go through, no line goes back") {
  CacheShape through = with_victims(1);
  through.writes_back = false;
  LineCache cache(through);
  for (const std::int64_t line : {0, 256, 512, 0, 1, 768})
    CHECK_FALSE(cache.access(line, true).written_back);
  CHECK(cache.invalidate().empty());
}
