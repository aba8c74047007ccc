// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/on_rank.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain {

/// A message that is longer than the receive that takes it.
struct LongMessage {
  int sender = 0;
  int receiver = 0;
  std::int32_t communicator = 0;
  std::int32_t tag = 0;
  std::int64_t sent_bytes = 0;
  std::int64_t room_bytes = 0;
};

/// Two ranks whose collectives at the same place of a communicator differ.
struct CollectiveMismatch {
  std::int32_t communicator = 0;
  std::int64_t number = 0;  ///< its place among the communicator's collectives, from 1 on
  int rank = 0;
  std::string operation;  ///< "broadcast of root 1, 80 B"
  int other_rank = 0;
  std::string other_operation;
};

/// A rank that waits for ever, however long messages take.
struct WaitingRank {
  int rank = 0;
  std::int64_t call = 0;  ///< counted from 1
  std::string function;
  std::string waits_for;  ///< "a message from rank 0, tag 4"
};

/// What keeps a recorded program from being executed again. Of each list the first 1,000 are kept.
struct ProgramCheck {
  static constexpr std::size_t most_listed = 1000;

  std::vector<LongMessage> long_messages;
  std::int64_t long_message_count = 0;
  std::vector<CollectiveMismatch> collectives;
  std::int64_t collective_count = 0;
  std::vector<WaitingRank> waiting;
  std::int64_t waiting_count = 0;

  bool ok() const { return long_message_count == 0 && collective_count == 0 && waiting_count == 0; }
};

/// Executes a recorded program without its times: each rank goes on until it needs a message,
/// or another rank in a collective. Only a synchronous send waits for its receive. So what waits here waits
/// in every execution. A receive of 0 bytes may be one whose size was not known, and takes a message of any
/// size.
/// @throws InputError where a rank's file cannot be read
ProgramCheck check_program(const Trace& trace, const OnRank& on_rank = {});

}  // namespace finegrain
