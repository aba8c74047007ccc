// SPDX-License-Identifier: MIT
// A program of somebody else's: a heat run, simulated and computed, on the platform that is named.
#include <cstdio>

#include "kernels/problem/heat_problem.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/policy.hpp"
#include "sim/replay/replay.hpp"
#include "traces/io/input_error.hpp"

int main(int, char** argv) {
  using namespace finegrain;
  try {
    const platform::Platform platform = platform::read_platform(argv[1]);
    const Run run{.problem = problem::HeatProblem{400, 600, 4, 8},
                  .policy = "condensed",
                  .transfer = Transfer::two_sided,
                  .completion = Completion::together,
                  .ranks = 32,
                  .ranks_per_node = 16,
                  .iterations = 100};
    const auto grid = pattern::pattern_kind("heat").open("400x600", "grid");
    const replay::ReplayResult simulated = replay::replay(policy::make_schedule(*grid, run), platform);
    const auto closed_form = policy::predict(run, {}, platform.costs);
    std::printf("%.15g %.15g\n", simulated.total_s, 100 * closed_form->total_s);
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
