// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "../pattern/patterns.hpp"
#include "../pattern/schedules.hpp"
#include "small_platform.hpp"

namespace finegrain {

/// 16 nodes.
inline constexpr const char* fat_tree =
    "<cluster id='c' prefix='node-' suffix='' radical='0-15' speed='1Gf' bw='1GBps' lat='1us' "
    "sharing_policy='SPLITDUPLEX' topology='FAT_TREE' topo_parameters='2;4,4;1,2;1,1'/>";

inline void charge_messages(SmallPlatform& platform) {
  platform.costs().message_overhead_s = 1e-6;
  platform.costs().local_latency_s = 3e-7;
  platform.costs().tau_s = 4e-6;
  platform.costs().remote_bandwidth_bytes_per_s = 1e9;
}

inline test::MatrixPattern small_matrix() {
  return test::banded_pattern(4000, 8, 900, 7);
}

/// 20 iterations on 64 ranks.
inline Run small_run(Problem problem, const std::string& policy, Transfer transfer, Completion completion) {
  Run run{.problem = std::move(problem), .policy = policy, .transfer = transfer, .completion = completion};
  run.ranks = 64;
  run.ranks_per_node = 4;
  run.iterations = 20;
  return run;
}

inline std::vector<Run> small_spmv_runs() {
  const problem::SpmvProblem problem{"", "", 4000, 8, 50};
  using enum Transfer;
  using enum Completion;
  return {small_run(problem, "individual", get, each),
          small_run(problem, "block", get, each),
          small_run(problem, "block", put, together),
          small_run(problem, "condensed", put, each),
          small_run(problem, "condensed", two_sided, together),
          small_run(problem, "condensed", two_sided, overlapped)};
}

inline Run small_heat_run() {
  return small_run(problem::HeatProblem{1003, 2001, 8, 8}, "condensed", Transfer::two_sided,
                   Completion::together);
}

}  // namespace finegrain
