// SPDX-License-Identifier: MIT
// Four messages of one line to one rank, before anybody waits, become one:
//
//   before                            after
//   rank 0          rank 1            rank 0          rank 1
//   isend 10 B      irecv 10 B        .               irecv 40 B
//   isend 10 B      irecv 10 B        .               .
//   isend 10 B      irecv 10 B        .               .
//   isend 10 B      irecv 10 B        isend 40 B      .
//   waitall         waitall           waitall         waitall
//
// A group of messages has one sender, receiver and communicator. It is sent from the calls of the change, in
// one step of the sender: it waits for nothing from the first of them to the last (sends that block are no
// waits). The message is sent where the last one was, and received where the first one was. Who waited for
// any of the receives waits for the message. Calls of which nothing is left are gone.
//
// If the tags of a group differ, its message has a tag of its own: one that no message has, the same for all
// groups with these tags. Such groups are received in the order in which they were sent, because each of
// their tags is.
//
// Puts to one rank become one put, which only the rank that puts takes part in.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "traces/changes/program_change.hpp"
#include "traces/programs.hpp"

namespace finegrain::changes {

/// Messages that are matched in order; or puts.
struct MessageChannel {
  std::int32_t peer = 0;
  std::int32_t communicator = 0;
  std::int32_t tag = 0;
  bool is_put = false;

  friend auto operator<=>(const MessageChannel&, const MessageChannel&) = default;
};

/// What becomes of a send, a put or a receive.
struct MergedPost {
  std::int64_t size_bytes = 0;  ///< all of its group's
  std::int64_t group = -1;      ///< its number; none: it stays as it is
  std::int32_t group_size = 1;  ///< messages
  std::int32_t tag = 0;         ///< the group's message's
  bool is_dropped = false;      ///< it is not the group's last. Of receives, the first one met is left

  bool is_merged() const { return group >= 0; }
};

/// Posts of a rank, by their places in each channel that has groups.
using MergedChannels = std::map<MessageChannel, std::vector<MergedPost>>;

/// Programs whose messages are merged.
class MergedMessages : public DerivedPrograms {
 public:
  /// Reads the programs twice. @pre they outlive it
  /// @throws InputError if the change finds no messages to merge, or their order would be ambiguous: another
  /// message of their channel is sent between them, or their receiver takes messages of any source or tag
  MergedMessages(const Programs& programs, ProgramChange change);

  std::unique_ptr<ProgramCursor> rank(int rank) const override;
  /// "changed: place=halo.c:9 messages=merge (50 messages, were 200)"
  std::string note() const;

 private:
  void find_sends();
  void set_tags(const std::vector<std::set<std::int32_t>>& mixed_tags, const std::set<std::int32_t>& used);
  void find_receives();

  ProgramChange change_;
  std::vector<MergedChannels> sends_;     ///< each rank's, and its puts; peer: the receiver
  std::vector<MergedChannels> receives_;  ///< each rank's; peer: the sender
  std::int64_t before_ = 0;               ///< messages of the calls that are meant
  std::int64_t after_ = 0;
};

}  // namespace finegrain::changes
