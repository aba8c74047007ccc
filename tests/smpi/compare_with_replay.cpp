// SPDX-License-Identifier: MIT
// compare_with_replay PLATFORM PERCENT TRACE ...: prints the simulated time of traces that were recorded
// under smpirun (online) beside that of their replay (offline). Fails if the first trace's differ by more
// percent.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>

#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"
#include "sim/replay/platform_summary.hpp"
#include "sim/replay/replay.hpp"
#include "traces/io/input_error.hpp"
#include "traces/trace_reader.hpp"

namespace {

using namespace finegrain;
using namespace finegrain::output;
using namespace finegrain::platform;
using namespace finegrain::replay;

/// From the first rank's first iteration to the last rank's last: SMPI's ranks read one clock.
double recorded_s(const Trace& trace) {
  std::int64_t start_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ns = 0;
  for (int rank = 0; rank < trace.manifest().run.ranks; ++rank) {
    auto reader = trace.rank(rank);
    while (const auto iteration = reader.next()) {
      start_ns = std::min(start_ns, iteration->time.start_ns);
      end_ns = std::max(end_ns, iteration->time.end_ns);
    }
  }
  return static_cast<double>(end_ns - start_ns) * 1e-9;
}

/// SimGrid's computations on several cores have no cap but the number of cores: with kernels/smpi a rank gets
/// at most so many cores' shares of its node's memory, as a whole number. Here both get that.
Platform read_platform_as_smpi(const std::filesystem::path& file) {
  Platform platform = read_platform(file);
  const double core_share_bytes_per_s = platform.costs.memory_bandwidth_bytes_per_s /
                                        static_cast<double>(summarize_platform(file).cores_per_host);
  double& cap_bytes_per_s = platform.costs.memory_bandwidth_per_core_bytes_per_s;
  cap_bytes_per_s = std::round(cap_bytes_per_s / core_share_bytes_per_s) * core_share_bytes_per_s;
  return platform;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  try {
    const double allowed_percent = std::stod(argv[2]);
    const Platform platform = read_platform_as_smpi(argv[1]);
    const Run run = Trace(argv[3]).manifest().run;
    Table table;
    table.title = fmt::format("{} ranks, {}: us an iteration", run.ranks, platform.name);
    table.columns = {{"smpi", "SMPI"},
                     {"online_us", "online", 2},
                     {"offline_us", "offline", 2},
                     {"difference_percent", "difference %", 2}};
    double first_percent = std::numeric_limits<double>::quiet_NaN();
    for (int i = 3; i < argc; ++i) {
      const Trace trace(argv[i]);
      const Schedule schedule = schedule_of(trace);
      const double to_us = 1e6 / static_cast<double>(schedule.run.iterations);
      const double online_s = recorded_s(trace);
      const double offline_s = replay::replay(schedule, platform, {.repeat_tolerance = 0}).total_s;
      const double percent = 100 * (online_s / offline_s - 1);
      if (i == 3) first_percent = percent;
      table.rows.push_back(
          {std::filesystem::path(argv[i]).filename().string(), online_s * to_us, offline_s * to_us, percent});
    }
    print(std::cout, {table}, Format::table);
    if (std::abs(first_percent) <= allowed_percent) return 0;
    std::cerr << fmt::format("{}: {:.2f} %, more than {} %\n", argv[3], first_percent, allowed_percent);
  } catch (const InputError& error) {
    std::cerr << error.what() << '\n';
  }
  return 1;
}
