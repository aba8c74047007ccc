// SPDX-License-Identifier: MIT
//
// IS of the NAS Parallel Benchmarks: who sends how many keys.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "schedules.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;

namespace {

Schedule is_schedule(const std::string& class_name, int ranks) {
  const auto pattern = pattern_kind("npb-is").open(class_name, "--npb-is");
  return make_schedule(*pattern, {.problem = pattern->problem(ranks, {}),
                                  .policy = "condensed",
                                  .transfer = Transfer::two_sided,
                                  .completion = Completion::together,
                                  .ranks = ranks});
}

/// The keys of class S, as the benchmark's report defines them: in one sequence, in floating point.
std::vector<int> keys_of_class_s() {
  constexpr double two_to_23 = 8'388'608;
  constexpr double two_to_46 = two_to_23 * two_to_23;
  double state = 314'159'265;
  const auto next = [&] {
    // Both numbers in two parts of 23 bits, so that no product is rounded.
    constexpr double factor = 1'220'703'125;  // 5^13
    const double high = std::floor(factor / two_to_23);
    const double low = factor - high * two_to_23;
    const double state_high = std::floor(state / two_to_23);
    const double state_low = state - state_high * two_to_23;
    const double crossed = std::fmod(high * state_low + low * state_high, two_to_23);
    state = std::fmod(crossed * two_to_23 + low * state_low, two_to_46);
    return state / two_to_46;
  };
  std::vector<int> keys(1 << 16);
  for (int& key : keys) {
    double sum = 0;
    for (int i = 0; i < 4; ++i)
      sum += next();
    key = static_cast<int>(sum * (1 << 11) / 4);
  }
  return keys;
}

}  // namespace

TEST_CASE("npb-is: the keys are the benchmark's, whose ranks are published") {
  const std::vector<int> keys = keys_of_class_s();
  // How many keys are smaller than each of five. is.c: S_test_index_array, S_test_rank_array; two keys change
  // in each of its iterations, none before the first.
  const std::array<int, 5> places = {48427, 17148, 23627, 62548, 4431};
  const std::array<std::int64_t, 5> ranks = {0, 18, 346, 64917, 65463};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const int key = keys[static_cast<std::size_t>(places[i])];
    const auto smaller = std::ranges::count_if(keys, [&](int other) { return other < key; });
    CHECK(smaller == ranks[i]);
  }
}

TEST_CASE("npb-is: keys go to the rank that has their bucket") {
  constexpr int ranks = 4;
  constexpr int share = (1 << 16) / ranks;
  const std::vector<int> keys = keys_of_class_s();
  // 512 buckets of 4 values. A rank takes buckets until it and those before it have their share.
  std::vector<int> owner(512);
  int taken = 0;
  int rank = 0;
  for (int bucket = 0; bucket < 512; ++bucket) {
    owner[static_cast<std::size_t>(bucket)] = rank;
    taken += static_cast<int>(std::ranges::count_if(keys, [&](int key) { return key / 4 == bucket; }));
    if (taken >= (rank + 1) * share) ++rank;
  }
  std::array<std::array<std::int64_t, ranks>, ranks> bytes{};
  for (std::size_t i = 0; i < keys.size(); ++i)
    bytes[i / share][static_cast<std::size_t>(owner[static_cast<std::size_t>(keys[i] / 4)])] += 4;

  const Schedule schedule = is_schedule("S", ranks);
  for (std::size_t from = 0; from < ranks; ++from) {
    const std::vector<std::int64_t>& sizes = schedule.ranks[from].sizes;
    REQUIRE(sizes.size() == 2 * ranks);
    CHECK(std::accumulate(sizes.begin(), sizes.begin() + ranks, 0) == share * 4);
    for (std::size_t to = 0; to < ranks; ++to) {
      CHECK(sizes[to] == bytes[from][to]);
      CHECK(sizes[to] == schedule.ranks[to].sizes[ranks + from]);
    }
  }
}

TEST_CASE("npb-is: an iteration adds up 1,024 buckets and five tested keys, and tells the numbers of keys") {
  std::vector<Collective> all;
  const Schedule schedule = is_schedule("W", 8);
  for (const Operation& operation : schedule.ranks[3].operations)
    if (const auto* collective = std::get_if<Collective>(&operation)) all.push_back(*collective);
  REQUIRE(all.size() == 3);
  CHECK(all[0] ==
        Collective{.kind = CollectiveKind::allreduce, .element_bytes = 4, .size_bytes = (1024 + 5) * 4});
  CHECK(all[1] == Collective{.kind = CollectiveKind::alltoall, .element_bytes = 4, .size_bytes = 4});
  CHECK(all[2] == Collective{.kind = CollectiveKind::alltoallv,
                             .element_bytes = 4,
                             .size_bytes = (1 << 20) / 8 * 4,
                             .size_count = 2 * 8});
}

TEST_CASE("npb-is: numbers of ranks that the benchmark refuses are refused") {
  const auto of_class = [](const char* name) { return pattern_kind("npb-is").open(name, "--npb-is"); };
  CHECK_THROWS_AS(of_class("S")->problem(6, {}), InputError);
  CHECK_NOTHROW(of_class("S")->problem(128, {}));
  CHECK_THROWS_AS(of_class("S")->problem(256, {}), InputError);
  CHECK_THROWS_AS(of_class("C")->problem(2048, {}), InputError);
  CHECK_THROWS_AS(of_class("D")->problem(2, {}), InputError);
  CHECK_NOTHROW(of_class("D")->problem(4, {}));
}
