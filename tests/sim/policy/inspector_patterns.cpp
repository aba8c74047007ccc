// SPDX-License-Identifier: MIT
//
// Policy inspector on the benchmarks of Alvanos et al. 2016: what their text says of messages and elements.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "sim/policy/access_windows.hpp"
#include "sim/policy/policy.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;

namespace {

struct Asked {
  std::string pattern;
  std::string size;
  int ranks = 1;
  Settings settings = {};
  std::int64_t window = 1;
  std::string form = "vector";
};

Schedule schedule_of(const Asked& asked) {
  const auto pattern = pattern_kind(asked.pattern).open(asked.size, "--" + asked.pattern);
  return make_schedule(*pattern, {.problem = pattern->problem(asked.ranks, asked.settings),
                                  .policy = "inspector",
                                  .policy_settings = {{"window", asked.window}, {"form", asked.form}},
                                  .transfer = Transfer::get,
                                  .completion = Completion::together,
                                  .ranks = asked.ranks});
}

std::vector<Post> posts_of(const Body& body, TransferKind kind) {
  std::vector<Post> all;
  for_each_post(body.operations, [&](const Post& post) {
    if (post.kind == kind) all.push_back(post);
  });
  return all;
}

/// Where a rank's updates go, by stepping through all that come before.
std::vector<std::pair<int, std::int64_t>> updates_by_stepping(int ranks, int rank, std::int64_t words,
                                                              std::int64_t updates) {
  std::vector<std::pair<int, std::int64_t>> places;
  std::uint64_t random = 1;
  for (std::int64_t update = 0; update < (rank + 1) * updates; ++update) {
    random = (random << 1) ^ ((random >> 63) != 0 ? 7 : 0);
    const auto word = static_cast<std::int64_t>(random % static_cast<std::uint64_t>(words * ranks));
    if (update >= rank * updates) places.emplace_back(static_cast<int>(word / words), word % words * 8);
  }
  return places;
}

}  // namespace

TEST_CASE("guppie pattern: each rank goes on with the random numbers where the one before ended") {
  const int ranks = 4;
  const auto pattern = pattern_kind("guppie").open("64", "--guppie");
  Run run{.problem = pattern->problem(ranks, {{"references", 100}}), .policy = "", .ranks = ranks};
  std::vector<std::vector<std::pair<int, std::int64_t>>> read(ranks);
  std::int64_t written = 0;
  pattern->accesses(run, [&](int rank, int /*stage*/, std::span<const Access> accesses) {
    for (const Access& access : accesses) {
      if (access.writes) ++written;
      if (!access.writes) read[static_cast<std::size_t>(rank)].emplace_back(access.owner, access.address);
    }
  });
  std::int64_t expected = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    auto updates = updates_by_stepping(ranks, rank, 64, 100);
    std::erase_if(updates, [&](const auto& place) { return place.first == rank; });
    CHECK(read[static_cast<std::size_t>(rank)] == updates);
    expected += static_cast<std::int64_t>(updates.size());
  }
  CHECK(written == expected);
}

TEST_CASE(
    "inspector on guppie: 128 ranks have 124.7 messages a window of 512, and 127 of 128 updates leave") {
  const int ranks = 128;
  const std::int64_t length = 512;
  const auto pattern = pattern_kind("guppie").open("16777216", "--guppie");
  const Run run{
      .problem = pattern->problem(ranks, {{"references", 8192}}), .policy = "inspector", .ranks = ranks};
  double windows = 0;
  double messages = 0;
  double bytes = 0;
  for_each_window(*pattern, run, length, [&](const AccessWindow& window) {
    if (window.first < 4096) return;  // the generator begins with numbers of few bits
    ++windows;
    messages += static_cast<double>(window.reads.size());
    for (const PeerBytes& read : window.reads)
      bytes += static_cast<double>(read.size_bytes);
  });
  CHECK(windows == ranks * (8192 - 4096) / length);
  // By chance; what the generator gives is 1.2 % and 0.7 % below, why was not looked into. Words
  // hardly ever come twice in a window.
  CHECK(messages / windows == Approx(127 * (1 - std::pow(1 - 1 / 128., 512))).epsilon(0.02));
  CHECK(bytes / windows / 8 == Approx(length * 127 / 128.).epsilon(0.01));
}

TEST_CASE("inspector on guppie: each word that was got is put back, with where it goes") {
  const Schedule schedule = schedule_of(
      {.pattern = "guppie", .size = "1024", .ranks = 8, .settings = {{"references", 256}}, .window = 64});
  for (const Body& body : schedule.ranks) {
    const std::vector<Post> gets = posts_of(body, TransferKind::get);
    const std::vector<Post> puts = posts_of(body, TransferKind::put);
    REQUIRE(gets.size() == puts.size());
    for (std::size_t i = 0; i < gets.size(); ++i)
      CHECK(puts[i].size_bytes == gets[i].size_bytes / 8 * (8 + 8));
  }
}

TEST_CASE("inspector on sobel: a window of columns fetches two rows of them and two more, in two messages") {
  const int rows = 16;
  const std::int64_t window = 7;  // half of the 14 pixels of a row
  const Schedule schedule =
      schedule_of({.pattern = "sobel", .size = "16", .ranks = rows, .window = window, .form = "compact"});
  for (std::size_t rank = 1; rank + 1 < rows; ++rank) {
    const std::vector<Post> gets = posts_of(schedule.ranks[rank], TransferKind::get);
    REQUIRE(gets.size() == 2 * 2);
    for (const Post& get : gets)
      CHECK(get.size_bytes == (window + 2) * 4);
  }
  // One call a window, and nothing to sort or to find.
  for (const Operation& operation : schedule.ranks[1].operations)
    if (const auto* work = std::get_if<Work>(&operation)) {
      CHECK(work->calls == (work->memory_bytes == 0 ? 1 : 0));
      CHECK(work->steps == 0);
    }
}

TEST_CASE("inspector on fish: a window of all bodies fetches each other rank's in one message") {
  const int ranks = 8;
  const std::int64_t bodies = 64;
  const Schedule schedule =
      schedule_of({.pattern = "fish", .size = "64", .ranks = ranks, .window = bodies, .form = "compact"});
  for (const Body& body : schedule.ranks) {
    const std::vector<Post> gets = posts_of(body, TransferKind::get);
    // For each of its own bodies again: what is fetched is kept for a window only.
    REQUIRE(gets.size() == static_cast<std::size_t>(bodies / ranks * (ranks - 1)));
    for (const Post& get : gets)
      CHECK(get.size_bytes == bodies / ranks * 16);
  }
  // A window of all pairs fetches each body once.
  const Schedule once = schedule_of(
      {.pattern = "fish", .size = "64", .ranks = ranks, .window = bodies * bodies, .form = "compact"});
  CHECK(posts_of(once.ranks[0], TransferKind::get).size() == ranks - 1);
}

TEST_CASE("fish pattern: ranks divide the bodies") {
  CHECK_THROWS_WITH(pattern_kind("fish").open("64", "--fish")->problem(7, {}),
                    Catch::Matchers::Contains("64 bodies for 7 ranks"));
}

TEST_CASE("inspector: all of stream-like's messages come from one rank, random-access's from all others") {
  const auto peers = [](const std::string& pattern) {
    const Schedule schedule = schedule_of({.pattern = pattern, .size = "256", .ranks = 8, .window = 64});
    std::set<int> found;
    for (const Post& get : posts_of(schedule.ranks[3], TransferKind::get))
      found.insert(get.peer);
    return found;
  };
  CHECK(peers("stream-like") == std::set{4});
  CHECK(peers("random-access") == std::set{0, 1, 2, 4, 5, 6, 7});
}
