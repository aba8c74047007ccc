// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace finegrain::machine {

/// CPU time since this computer started, in seconds, all CPUs together.
struct CpuTime {
  double busy_s = 0;    ///< with processes, this one and those it started included
  double stolen_s = 0;  ///< that other virtual machines had while this one wanted to run
  double all_s = 0;     ///< busy or not
  double own_s = 0;     ///< part of busy_s: of this process, and of those that it started and that have ended
};

/// The CPU time until now; all zero if the system does not say.
CpuTime cpu_time();

/// @param proc_stat  the text of /proc/stat
/// @param ticks_per_s  the ticks per second in which it counts
CpuTime parse_cpu_time(std::string_view proc_stat, double ticks_per_s);

/// What this process's threads had of the cores since they began, in seconds, all threads together.
struct ThreadTime {
  double ran_s = 0;
  double waited_s = 0;  ///< ready to run, but without a core
};

/// All zero if the system does not say.
ThreadTime thread_time();

/// How many threads of this process work: those that live, and had a core for 20 ms and for a twentieth of
/// the time that the busiest of them had one. Threads of libraries that wait for events had less; the
/// recorder's own does not count. At least 1.
int count_busy_threads();

/// The share, 0 to 1, of the time in which threads could have run that they waited for a core.
double share_waited(const ThreadTime& before, const ThreadTime& after);

/// The share of all CPUs' time, 0 to 1, that others had from `before` until `after`: other processes, and
/// other virtual machines.
double share_of_others(const CpuTime& before, const CpuTime& after);

}  // namespace finegrain::machine
