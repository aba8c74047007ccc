// SPDX-License-Identifier: MIT
#include "kernels/machine/cpus.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <set>

namespace finegrain::machine {

std::vector<int> allowed_cpus() {
  // The kernel refuses a mask that is smaller than its own with EINVAL.
  for (int capacity = CPU_SETSIZE; capacity <= CPU_SETSIZE << 10; capacity *= 2) {
    std::vector<cpu_set_t> mask(static_cast<std::size_t>(capacity / CPU_SETSIZE));
    const std::size_t mask_bytes = mask.size() * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, mask_bytes, mask.data()) != 0) {
      if (errno == EINVAL) continue;
      break;
    }
    std::vector<int> cpus;
    for (int cpu = 0; cpu < capacity; ++cpu)
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), mask_bytes, mask.data())) cpus.push_back(cpu);
    return cpus;
  }
  return {0};
}

int count_cores(const std::vector<int>& cpus) {
  std::set<std::string> cores;
  for (const int cpu : cpus) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    std::string siblings;
    cores.insert(std::getline(file, siblings) ? siblings : fmt::format("{}", cpu));
  }
  return static_cast<int>(cores.size());
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string format_cpus(const std::vector<int>& cpus) {
  std::string text;
  for (auto first = cpus.begin(); first != cpus.end();) {
    auto last = first;
    while (std::next(last) != cpus.end() && *std::next(last) == *last + 1)
      ++last;
    if (!text.empty()) text += ',';
    text += last == first ? fmt::format("{}", *first) : fmt::format("{}-{}", *first, *last);
    first = std::next(last);
  }
  return text;
}

}  // namespace finegrain::machine
