// SPDX-License-Identifier: MIT
// Samples of iterations: each kind of iteration is stood for as often as it occurs.
#include "sim/replay/folding/iteration_samples.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace finegrain::replay;

namespace {

double stands_for(const IterationSamples& samples, std::size_t iteration) {
  const auto found = std::ranges::find(samples.iterations, iteration);
  return found == samples.iterations.end()
             ? 0
             : static_cast<double>(
                   samples.stand_for[static_cast<std::size_t>(found - samples.iterations.begin())]
                       .iterations);
}

double sum_of_weights(const IterationSamples& samples) {
  double sum = 0;
  for (const StandsFor& one : samples.stand_for)
    sum += static_cast<double>(one.iterations);
  return sum;
}

}  // namespace

TEST_CASE("samples: all iterations if there are few, each for itself") {
  const IterationSamples samples = choose_samples(std::vector<double>(32, 1e-3), 16);
  CHECK(samples.iterations.size() == 32);
  CHECK(std::ranges::all_of(samples.stand_for, [](const StandsFor& one) { return one.iterations == 1; }));
}

TEST_CASE("samples: a heavy iteration and the one after it stand for themselves") {
  std::vector<double> work_s(1000, 1e-3);
  work_s[450] = 50e-3;
  const IterationSamples samples = choose_samples(work_s, 128);
  CHECK(samples.iterations.size() == 130);
  CHECK(std::ranges::is_sorted(samples.iterations));
  CHECK(stands_for(samples, 450) == 1);
  CHECK(stands_for(samples, 451) == 1);
  CHECK(stands_for(samples, 0) == Approx(998 / 128.));
  CHECK(sum_of_weights(samples) == Approx(1000));
}

TEST_CASE("samples: of many heavy iterations some stand for all, and light ones for light ones") {
  std::vector<double> work_s(4000, 1e-3);
  for (std::size_t i = 50; i < work_s.size(); i += 100)
    work_s[i] = 50e-3;
  for (std::size_t i = 75; i < work_s.size(); i += 100)
    work_s[i] = 1e-5;
  const IterationSamples samples = choose_samples(work_s, 128);
  double heavy = 0;
  double light = 0;
  for (const std::size_t iteration : samples.iterations) {
    if (work_s[iteration] > 1e-2) heavy += stands_for(samples, iteration);
    if (work_s[iteration] < 1e-4) light += stands_for(samples, iteration);
  }
  CHECK(heavy == Approx(40));
  CHECK(light == Approx(40));
  CHECK(sum_of_weights(samples) == Approx(4000));
  CHECK(samples.iterations.size() < 160);
}

TEST_CASE("samples: iterations without work are spread rows") {
  const IterationSamples samples = choose_samples(std::vector<double>(1000, 0.), 128);
  CHECK(samples.iterations.size() == 128);
  CHECK(sum_of_weights(samples) == Approx(1000));
}

TEST_CASE("samples: where only a few iterations have work, they are among them") {
  std::vector<double> work_s(10'000, 0.);
  for (std::size_t i = 3'333; i < work_s.size(); i += 700)
    work_s[i] = 1;
  const IterationSamples samples = choose_samples(work_s, 128);
  double with_work = 0;
  for (const std::size_t iteration : samples.iterations)
    if (work_s[iteration] > 0) with_work += stands_for(samples, iteration);
  CHECK(with_work == Approx(10));
  CHECK(sum_of_weights(samples) == Approx(10'000));
}

TEST_CASE("samples: fewer are wanted than one row has") {
  CHECK(choose_samples(std::vector<double>(7, 1.), 1).iterations.size() == 7);
  CHECK(sum_of_weights(choose_samples(std::vector<double>(100, 1.), 1)) == Approx(100));
}
