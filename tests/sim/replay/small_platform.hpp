// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "../../traces/transfer.hpp"
#include "sim/platform/platform.hpp"
#include "traces/programs.hpp"

namespace finegrain {

constexpr std::int64_t megabyte = 1'000'000;               ///< a second on a link of 1 MB/s
constexpr std::int64_t second_of_memory = 12'000'000'000;  ///< bytes that one core moves in a second

/// A platform file that lives as long as the test, and costs that are easy to compute with: node memory of 75
/// GB/s, 12 GB/s a core, everything else free.
class SmallPlatform {
 public:
  /// @param contents  what is in <platform>
  explicit SmallPlatform(const std::string& contents) {
    static int count = 0;
    platform_.file =
        std::filesystem::temp_directory_path() / fmt::format("finegrain-test-{}-{}.xml", ::getpid(), count++);
    std::ofstream(platform_.file) << "<?xml version='1.0'?>\n"
                                     "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                                     "<platform version=\"4.1\">\n"
                                  << contents << "\n</platform>\n";
    platform_.name = "small";
    platform_.costs.memory_bandwidth_bytes_per_s = 75e9;
    platform_.costs.memory_bandwidth_per_core_bytes_per_s = 12e9;
  }
  ~SmallPlatform() { std::filesystem::remove(platform_.file); }
  SmallPlatform(const SmallPlatform&) = delete;
  SmallPlatform& operator=(const SmallPlatform&) = delete;

  platform::Platform& operator*() { return platform_; }
  platform::PlatformCosts& costs() { return platform_.costs; }

 private:
  platform::Platform platform_;
};

/// Nodes on one ideal switch: each has a NIC of 1 MB/s in and 1 MB/s out. A route is two links.
inline std::string switched(int nodes, const std::string& link_latency = "0us",
                            const std::string& more = "") {
  return fmt::format(
      "<cluster id='c' prefix='node-' suffix='' radical='0-{}' speed='1Gf' bw='1MBps' lat='{}' "
      "sharing_policy='SPLITDUPLEX' {}/>",
      nodes - 1, link_latency, more);
}

inline Schedule schedule_of_ranks(std::vector<Body> ranks, int ranks_per_node, std::int64_t iterations = 1) {
  Schedule schedule;
  schedule.run.ranks = static_cast<int>(ranks.size());
  schedule.run.ranks_per_node = ranks_per_node;
  schedule.run.iterations = iterations;
  schedule.ranks = std::move(ranks);
  return schedule;
}

/// A body of one region: its posts.
inline Body one_region(RegionName name, const std::vector<Post>& posts = {}) {
  Body body;
  body.begin_region(name);
  for (const Post& post : posts)
    body.add(post);
  return body;
}

inline Body one_region(RegionName name, const Work& work, const std::vector<Post>& posts = {}) {
  Body body;
  body.add_region(name, work);
  for (const Post& post : posts)
    body.add(post);
  return body;
}

inline Body idle() {
  return one_region(regions::compute, Work{});
}

}  // namespace finegrain
