// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "traces/formats/goal_schedule.hpp"

namespace finegrain::formats {

/// Whether a file begins as GOAL's binary form does.
bool is_goal_binary(std::span<const std::byte> bytes);

/// Reads a schedule in GOAL's binary form, which LogGOPSim's and ATLAHS's txt2bin write. Its numbers are
/// little endian, and follow each other without gaps:
///   uint64 cookie, uint32 ranks, uint8 highest cpu, uint8 highest nic,
///   for each rank uint64 start and end, counted from after the cookie;
/// from each rank's start on:
///   uint32 operations n, uint32 first operations f, f times uint32 number of an operation that waits for
///   none, n times uint32 operations that it waits for, uint8 kind (1 send, 2 receive, 3 calculation), uint32
///   peer, uint64 size, uint32 tag, uint8 cpu, uint8 nic, then twice uint32 count and uint32 place in the
///   list of those that wait for its end, and of those that wait for its start; the list: uint32 numbers of
///   operations.
/// Source: LogGOPSim, src/LogGOPSim/Parser.hpp (commit 76451de).
/// @returns the same as read_goal() of its text form
/// @throws InputError naming the rank and the operation
std::vector<GoalRank> read_goal_binary(std::span<const std::byte> bytes, std::string_view file);

}  // namespace finegrain::formats
