// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <random>

#include "sim/pattern/fast_divisor.hpp"

using finegrain::pattern::FastDivisor;

namespace {

constexpr std::int64_t largest = (std::int64_t{1} << 31) - 1;

/// Compares with the CPU's division; once a divisor, since millions of CHECKs would be slow.
bool agrees(std::int64_t divisor, std::int64_t number) {
  const FastDivisor fast(divisor);
  const auto x = static_cast<std::uint32_t>(number);
  return fast.quotient(x) == number / divisor && fast.remainder(x) == number % divisor;
}

bool agrees_around_multiples(std::int64_t divisor) {
  const std::int64_t last = largest / divisor;
  for (const std::int64_t multiple :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, last / 2, last - 1, last}) {
    for (const std::int64_t offset : {-1, 0, 1}) {
      const std::int64_t number = multiple * divisor + offset;
      if (number >= 0 && number <= largest && !agrees(divisor, number)) return false;
    }
  }
  return agrees(divisor, largest);
}

}  // namespace

TEST_CASE(
    "fast divisor: equals division on both sides of multiples, for powers of two and their neighbours") {
  for (int exponent = 0; exponent <= 31; ++exponent) {
    const std::int64_t power = std::int64_t{1} << exponent;
    for (const std::int64_t divisor : {power - 1, power, power + 1}) {
      if (divisor < 1 || divisor > std::int64_t{1} << 31) continue;
      CAPTURE(divisor);
      CHECK(agrees_around_multiples(divisor));
    }
  }
}

TEST_CASE("fast divisor: equals division on both sides of multiples, for every divisor to 70,000") {
  std::int64_t first_wrong = 0;
  for (std::int64_t divisor = 70'000; divisor >= 1; --divisor) {
    if (!agrees_around_multiples(divisor)) first_wrong = divisor;
  }
  CHECK(first_wrong == 0);
}

TEST_CASE("fast divisor: equals division for a million random pairs") {
  std::mt19937 random(1);
  int wrong = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const std::int64_t divisor = 1 + (random() >> 1 >> (random() % 31));
    if (!agrees(divisor, random() >> 1)) ++wrong;
  }
  CHECK(wrong == 0);
}
