// SPDX-License-Identifier: MIT
#include "kernels/machine/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace finegrain::machine {
namespace {

struct Cache {
  int level = 0;
  std::int64_t kibibytes = 0;
  std::string shared_cpus;
};

/// The cache of the highest level that a CPU has. /sys spells its size "266240K".
Cache last_level_cache(int cpu) {
  Cache last;
  for (int index = 0;; ++index) {
    const std::filesystem::path cache =
        fmt::format("/sys/devices/system/cpu/cpu{}/cache/index{}", cpu, index);
    if (!std::filesystem::exists(cache)) return last;
    Cache found;
    std::ifstream(cache / "level") >> found.level;
    std::ifstream(cache / "size") >> found.kibibytes;
    std::ifstream(cache / "shared_cpu_list") >> found.shared_cpus;
    if (found.level > last.level) last = found;
  }
}

}  // namespace

std::optional<std::int64_t> last_level_cache_bytes(const std::vector<int>& cpus) {
  std::map<std::string, std::int64_t> kibibytes_of_cache;
  for (const int cpu : cpus) {
    const Cache cache = last_level_cache(cpu);
    if (cache.kibibytes > 0) kibibytes_of_cache[cache.shared_cpus] = cache.kibibytes;
  }
  std::int64_t bytes = 0;
  for (const auto& [shared_cpus, kibibytes] : kibibytes_of_cache)
    bytes += kibibytes * 1024;
  if (bytes > 0) return bytes;
  // In a virtual machine, the processor may tell of all its caches, though few of its CPUs are here.
  constexpr std::int64_t most_bytes_of_cpu = std::int64_t{128} << 20;
  bytes = std::min<std::int64_t>(::sysconf(_SC_LEVEL3_CACHE_SIZE),
                                 most_bytes_of_cpu * static_cast<std::int64_t>(cpus.size()));
  if (bytes <= 0) return std::nullopt;
  return bytes;
}

std::int64_t cache_line_bytes() {
  const long bytes = ::sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  return bytes > 0 ? bytes : 64;
}

std::optional<std::int64_t> available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    std::int64_t kibibytes = 0;
    if (name == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
    file.ignore(4096, '\n');
  }
  return std::nullopt;
}

}  // namespace finegrain::machine
