// SPDX-License-Identifier: MIT
#include "kernels/machine/cpu_time.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "kernels/machine/proc_file.hpp"

namespace finegrain::machine {
namespace {

double seconds_of(int whose) {
  rusage usage{};
  ::getrusage(whose, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Those of this process. @param left_out  the name of threads that do not count
std::vector<ThreadTime> times_of_threads(std::string_view left_out = {}) {
  std::vector<ThreadTime> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator task("/proc/self/task", error), end; !error && task != end;
       task.increment(error)) {
    if (!left_out.empty() && content_of_proc_file((task->path() / "comm").string()).starts_with(left_out))
      continue;
    std::istringstream in(content_of_proc_file((task->path() / "schedstat").string()));
    double ran_ns = 0, waited_ns = 0;
    if (in >> ran_ns >> waited_ns) threads.push_back({1e-9 * ran_ns, 1e-9 * waited_ns});
  }
  return threads;
}

}  // namespace

CpuTime cpu_time() {
  CpuTime time =
      parse_cpu_time(content_of_proc_file("/proc/stat"), static_cast<double>(::sysconf(_SC_CLK_TCK)));
  time.own_s = seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
  return time;
}

CpuTime parse_cpu_time(std::string_view proc_stat, double ticks_per_s) {
  std::istringstream in{std::string(proc_stat)};
  std::string cpu;
  double user = 0, nice = 0, system = 0, idle = 0, io_wait = 0, irq = 0, soft_irq = 0, steal = 0;
  if (!(in >> cpu >> user >> nice >> system >> idle >> io_wait >> irq >> soft_irq >> steal) || cpu != "cpu")
    return {};
  return {.busy_s = (user + nice + system) / ticks_per_s,
          .stolen_s = steal / ticks_per_s,
          .all_s = (user + nice + system + idle + io_wait + irq + soft_irq + steal) / ticks_per_s};
}

ThreadTime thread_time() {
  ThreadTime sum;
  for (const ThreadTime& thread : times_of_threads()) {
    sum.ran_s += thread.ran_s;
    sum.waited_s += thread.waited_s;
  }
  return sum;
}

int count_busy_threads() {
  constexpr double least_share = 0.05;
  constexpr double least_s = 0.02;
  const std::vector<ThreadTime> threads = times_of_threads("finegrain");  // the recorder's (Flusher)
  if (threads.empty()) return 1;
  const double most_s = std::ranges::max(threads, {}, &ThreadTime::ran_s).ran_s;
  return std::max(1, static_cast<int>(std::ranges::count_if(threads, [&](const ThreadTime& thread) {
                    return thread.ran_s >= std::max(least_s, least_share * most_s);
                  })));
}

double share_waited(const ThreadTime& before, const ThreadTime& after) {
  const double waited_s = after.waited_s - before.waited_s;
  const double all_s = waited_s + after.ran_s - before.ran_s;
  return waited_s > 0 && all_s > 0 ? std::min(1.0, waited_s / all_s) : 0;
}

double share_of_others(const CpuTime& before, const CpuTime& after) {
  const double all_s = after.all_s - before.all_s;
  if (all_s <= 0) return 0;
  const double others_s = std::max(0.0, after.busy_s - before.busy_s - (after.own_s - before.own_s));
  return std::min(1.0, (others_s + after.stolen_s - before.stolen_s) / all_s);
}

}  // namespace finegrain::machine
