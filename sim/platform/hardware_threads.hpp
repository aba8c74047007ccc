// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace finegrain::platform {

class PlatformDocument;

/// How fast a core is with so many threads on it, over its rate with one.
struct SmtGain {
  int threads;
  double rate;
};

/// The cores of a node, where several ranks may share one (SMT).
struct HardwareThreads {
  int cores = 1;                            ///< of a node
  int of_core = 1;                          ///< hardware threads
  std::vector<SmtGain> gains = {{1, 1.0}};  ///< ascending, from one thread

  /// Threads on a core where so many are on the node: the fullest core's, as ranks are spread over the cores.
  std::int64_t threads_on_core(std::int64_t threads_on_node) const {
    return (threads_on_node + cores - 1) / cores;
  }
  /// Of so many threads of a core together. Between two entries of the table on a line. Beyond it they take
  /// turns, and the rate is the last entry's.
  double gain(std::int64_t threads_of_core) const;
  /// Rate of one thread, over its rate where it has a core alone.
  double thread_rate(std::int64_t threads_on_node) const;
};

/// The properties hardware_threads_per_core and smt_gain; none without them.
/// @throws InputError if one is malformed, smt_gain stands alone, or the file does not say how many cores a
/// node has
std::optional<HardwareThreads> read_hardware_threads(const PlatformDocument& document,
                                                     const std::vector<std::string>& overrides);

}  // namespace finegrain::platform
