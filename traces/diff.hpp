// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/on_rank.hpp"
#include "traces/schedule.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain {

/// In what two runs differ. missing: the first has it, the second has not; extra: the other way round.
enum class Aspect : std::uint8_t { kind, peer, size_bytes, repeat, phase_kind, memory_bytes, missing, extra };

/// One difference. Where a number is not given, the whole is meant: no position: the phase; no phase: the
/// iteration; no iteration: the rank.
struct Difference {
  int rank = 0;
  std::optional<std::int64_t> iteration;
  std::optional<int> phase;
  std::optional<int> position;  ///< of the message in its phase
  Aspect aspect = Aspect::missing;
  std::string first;   ///< what the first has, e.g. "1024"; empty if nothing
  std::string second;  ///< what the second has
};

/// A comparison, times aside.
struct TraceDiff {
  std::vector<Difference> differences;  ///< the first ones, by rank, iteration, phase and position
  std::int64_t difference_count = 0;    ///< all of them
  /// What both have and was compared.
  int ranks = 0;
  std::int64_t iterations = 0;  ///< of all ranks together
  std::int64_t messages = 0;

  bool equal() const { return difference_count == 0; }
};

constexpr std::size_t differences_listed = 1000;

/// Compares message by message, in program order: phases by their index, messages by their position in it.
/// @throws InputError where a trace cannot be read
TraceDiff diff(const Trace& first, const Trace& second, const OnRank& on_rank = {});

/// Every recorded iteration against the schedule's one, and their number against run.iterations.
TraceDiff diff(const Trace& first, const Schedule& second, const OnRank& on_rank = {});

std::string_view to_string(Aspect aspect);

}  // namespace finegrain
