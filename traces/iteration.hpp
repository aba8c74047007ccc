// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace finegrain {

/// One-sided kinds (put, get) appear at the rank that initiates them only; two-sided ones at both ends.
enum class MessageKind : std::uint8_t { put, get, send, receive };

/// Bytes from one rank to another, as one rank posts them.
struct Message {
  MessageKind kind;
  std::int32_t peer;        ///< the other rank; a rank's own number for a copy of its own block (Listing 4)
  std::int64_t size_bytes;  ///< of one transfer
  std::int64_t repeat = 1;  ///< the same transfer, this many times back to back

  friend bool operator==(const Message&, const Message&) = default;
};

/// The steps of the papers' listings. A message is posted in the phase it belongs to; `wait` posts none and
/// ends when every message that the rank posted before it, receives included, is complete. A put or get phase
/// starts its messages where a `wait` follows it in the iteration, and blocks on each in turn where none
/// does; so does `compute`, whose messages (policies naive and individual) are gets interleaved with the
/// work.
enum class PhaseKind : std::uint8_t { pack, put, get, send, receive, wait, copy, unpack, compute, barrier };

/// One step of a rank's iteration.
struct Phase {
  PhaseKind kind;
  std::int64_t memory_bytes = 0;   ///< bytes that the rank moves over its node's memory, messages not counted
  std::int32_t first_message = 0;  ///< index into Iteration::messages
  std::int32_t message_count = 0;

  friend bool operator==(const Phase&, const Phase&) = default;
};

/// What one rank does in one iteration, in program order: the shape that a schedule and a trace share.
struct Iteration {
  std::vector<Phase> phases;
  std::vector<Message> messages;  ///< of all phases, in program order

  /// Opens the next phase; messages added from now on belong to it.
  void begin_phase(PhaseKind kind, std::int64_t memory_bytes = 0);
  /// @pre a phase is open
  void add(const Message& message);
  std::span<const Message> messages_of(const Phase& phase) const;

  friend bool operator==(const Iteration&, const Iteration&) = default;
};

std::string_view to_string(MessageKind kind);
std::string_view to_string(PhaseKind kind);

}  // namespace finegrain
