// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace finegrain::platform {

class PlatformDocument;

/// The rate of a core with several threads on it, relative to its rate with one thread.
struct SmtGain {
  int threads;
  double rate;
};

/// The cores of a node, where several ranks may share one (SMT).
struct HardwareThreads {
  int cores = 1;                            ///< a node's
  int of_core = 1;                          ///< hardware threads of a core
  std::vector<SmtGain> gains = {{1, 1.0}};  ///< ascending, from one thread

  /// Threads on the fullest core of a node, given those on the node. Ranks are spread evenly over the cores.
  std::int64_t threads_on_core(std::int64_t threads_on_node) const {
    return (threads_on_node + cores - 1) / cores;
  }
  /// The rate of all threads of a core together, relative to one thread alone. It is interpolated linearly
  /// between the entries of `gains`. Threads beyond the last entry take turns, and the rate is that entry's.
  double gain(std::int64_t threads_of_core) const;
  /// The rate of one thread, relative to its rate when it has a core alone.
  double thread_rate(std::int64_t threads_on_node) const;
};

/// The properties hardware_threads_per_core and smt_gain; none without them.
/// @throws InputError if one is malformed, smt_gain stands alone, or the file does not say how many cores a
/// node has
std::optional<HardwareThreads> read_hardware_threads(const PlatformDocument& document,
                                                     const std::vector<std::string>& overrides);

}  // namespace finegrain::platform
