// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace finegrain::formats {

/// A line of a GOAL schedule that does something.
struct GoalOperation {
  enum class Kind : std::uint8_t { send, receive, calculation };
  Kind kind;
  std::int32_t peer = 0;  ///< -1: a receive takes any
  std::int64_t tag = 0;   ///< 32 bits without sign; -1: a receive takes any
  std::int32_t cpu = 0;
  std::int64_t size = 0;  ///< bytes, or nanoseconds of a calculation
  std::size_t line = 0;   ///< in a binary file: the operation's number in its rank, from 1 on
};

/// One operation may begin only when another has ended (`requires`), or has begun (`irequires`). Both are
/// places in GoalRank::operations.
struct GoalDependency {
  std::uint32_t operation;
  std::uint32_t on;
  bool on_its_end;
};

/// What one rank does: a graph, in the order of the file.
struct GoalRank {
  std::vector<GoalOperation> operations;
  std::vector<GoalDependency> dependencies;
};

/// Reads a schedule in GOAL's text form, as Schedgen writes it and LogGOPSim's txt2bin reads it.
/// Source: T. Hoefler, C. Siebert, A. Lumsdaine, "Group Operation Assembly Language", ICPP 2009.
/// @returns shape [num_ranks]
/// @throws InputError naming the line, if it is none
std::vector<GoalRank> read_goal(std::string_view text, std::string_view file);

}  // namespace finegrain::formats
