// SPDX-License-Identifier: MIT
// Times by size that are made of known lines and noise.
#include "sim/platform/size_pieces.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace finegrain::platform;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

const std::vector<LinePiece> one_line{{infinite, 2e-6, 1 / 12e9}};
const std::vector<LinePiece> two_lines{{65536, 2e-6, 1 / 6e9}, {infinite, 8e-6, 1 / 12e9}};
const std::vector<LinePiece> three_lines{
    {1024, 2e-6, 1 / 2e9}, {65536, 4.5e-6, 1 / 5e9}, {infinite, 18e-6, 1 / 12e9}};

/// Those of finegrain calibrate, and of osu_latency.
const std::vector<double> twelve_sizes{8,     64,    256,   1024,   4096,   8192,
                                       16384, 32768, 65536, 131072, 524288, 1048576};
std::vector<double> osu_sizes() {
  std::vector<double> sizes;
  for (double size = 1; size <= 4194304; size *= 2)
    sizes.push_back(size);
  return sizes;
}

std::vector<TimedSize> measured(const std::vector<LinePiece>& lines, const std::vector<double>& sizes,
                                double noise, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, noise);
  std::vector<TimedSize> times;
  for (const double size : sizes)
    times.push_back({size, seconds_of(lines, size) * std::exp(normal(generator))});
  return times;
}

/// In how many of a hundred measurements the number of lines is found.
int found_of_100(const std::vector<LinePiece>& lines, const std::vector<double>& sizes, double noise) {
  int found = 0;
  for (unsigned seed = 0; seed < 100; ++seed)
    if (fit_pieces(measured(lines, sizes, noise, seed), 0.3e-6).size() == lines.size()) ++found;
  return found;
}

}  // namespace

TEST_CASE("size pieces: the number of lines is found, at noise of up to 5 %") {
  for (const double noise : {0., 0.005, 0.02, 0.05})
    for (const std::vector<double>& sizes : {twelve_sizes, osu_sizes()})
      for (const std::vector<LinePiece>& lines : {one_line, two_lines, three_lines}) {
        CAPTURE(noise, sizes.size(), lines.size());
        CHECK(found_of_100(lines, sizes, noise) >= 85);
      }
}

TEST_CASE("size pieces: a straight line is one, in at least 95 of 100 measurements") {
  for (const double noise : {0., 0.005, 0.02, 0.05, 0.2})
    for (const std::vector<double>& sizes : {twelve_sizes, osu_sizes()})
      CHECK(found_of_100(one_line, sizes, noise) >= 95);
}

TEST_CASE("size pieces: lines begin where they do, and sizes between the measured ones are predicted") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<LinePiece> lines = fit_pieces(measured(three_lines, twelve_sizes, 0.02, seed), 0.3e-6);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].up_to_bytes == 1024);
    CHECK(lines[1].up_to_bytes == 65536);
    for (const double size : {32., 512., 2048., 12'000., 48'000., 98'304., 262'144., 4194304.})
      CHECK(seconds_of(lines, size) == Approx(seconds_of(three_lines, size)).epsilon(0.1));
  }
}

TEST_CASE("size pieces: a line neither falls nor begins below what a message costs at least") {
  // Times that fall with the size are level.
  const std::vector<TimedSize> falling{{8, 4e-6}, {64, 3e-6}, {512, 2e-6}};
  const std::vector<LinePiece> level = fit_pieces(falling, 0);
  REQUIRE(level.size() == 1);
  CHECK(level.front().s_per_byte == 0);
  CHECK(level.front().intercept_s > 2e-6);
  // 1 ns a byte, and 1 us less than nothing: the best line through 0.5 us is steeper than none.
  const std::vector<LinePiece> high =
      fit_pieces(std::vector<TimedSize>{{2000, 1e-6}, {3000, 2e-6}, {4000, 3e-6}}, 0.5e-6);
  CHECK(high.front().intercept_s == 0.5e-6);
  CHECK(high.front().s_per_byte > 0);
}

TEST_CASE("size pieces: few times are one line") {
  CHECK(fit_pieces(std::vector<TimedSize>{{8, 1e-6}}, 0).size() == 1);
  CHECK(fit_pieces(std::vector<TimedSize>{{8, 1e-6}, {16, 9e-6}, {32, 1e-6}, {64, 9e-6}}, 0).size() == 1);
}

TEST_CASE("size pieces: factors on a latency and a bandwidth give the lines' times") {
  constexpr double overhead_s = 0.3e-6;
  constexpr double latency_s = 1.2e-6;
  constexpr double bandwidth = 10e9;
  const MessageFactors factors = factors_of(three_lines, overhead_s, latency_s, bandwidth);
  for (const double size : {1., 1024., 1025., 65536., 65537., 1e6}) {
    const double time_s =
        overhead_s + latency_s * factors.latency.of(size) + size / (bandwidth * factors.bandwidth.of(size));
    CHECK(time_s == Approx(seconds_of(three_lines, size)).epsilon(1e-12));
  }
  CHECK(text_of(factors.bandwidth) == "0B:0.2;1024B:0.5;65536B:1.2");
  // Bytes that take no time are a thousand times as fast.
  CHECK(factors_of(std::vector<LinePiece>{{infinite, 2e-6, 0}}, 0, 1e-6, 1e9).bandwidth.of(1) == 1000);
}
