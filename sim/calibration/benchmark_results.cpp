// SPDX-License-Identifier: MIT
#include "sim/calibration/benchmark_results.hpp"

namespace finegrain {
namespace {

using nlohmann::json;

/// As kernels/micro/statistics.hpp writes it.
Measured measured(const json& spread) {
  return {spread.at("median"), spread.at("p10"), spread.at("p90"), spread.at("samples")};
}

/// Of one pair of ranks: finegrain calibrate starts two.
const json& only_pair(const json& printed) {
  return printed.at("pairs").at(0);
}

}  // namespace

void take_stream(const json& printed, Calibration& found) {
  found.cpu = printed.at("cpu");
  found.pinning = printed.at("pinning");
  found.oversubscribed = printed.at("oversubscribed");
  for (const json& team : printed.at("by_ranks"))
    found.triad_bytes_per_s.push_back({team.at("ranks"), measured(team.at("triad_bytes_per_s"))});
}

void take_barrier(const json& printed, Calibration& found) {
  for (const json& team : printed.at("by_ranks"))
    found.barrier_s.push_back({team.at("ranks"), measured(team.at("barrier_s"))});
}

void take_accesses(const json& printed, const std::string& test, Calibration& found) {
  for (const json& pattern : printed.at("patterns"))
    found.accesses.push_back({test, pattern.at("pattern"), measured(pattern.at("seconds_per_access"))});
}

void take_pingpong(const json& printed, Messages& found) {
  for (const json& size : only_pair(printed).at("by_size"))
    found.times.push_back({size.at("bytes"), measured(size.at("half_round_trip_s"))});
}

void take_loggp(const json& printed, Messages& found) {
  const json& loggp = only_pair(printed).at("loggp");
  found.send_overhead_s = measured(loggp.at("o_s_s"));
  found.receive_overhead_s = measured(loggp.at("o_r_s"));
  found.latency_s = loggp.at("L_s");
  found.gap_s = loggp.at("g_s");
  found.gap_s_per_byte = loggp.at("G_s_per_byte");
}

void take_random_get(const json& printed, Messages& found) {
  found.get_s = measured(printed.at("seconds_per_access"));
}

}  // namespace finegrain
