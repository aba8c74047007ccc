// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "traces/formats/expand_collective.hpp"
#include "traces/formats/export_text.hpp"
#include "traces/formats/message_tags.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::formats {

/// How a trace's blocking collectives are written. If a rank goes on during one, because another of its
/// threads works, all ranks begin each with an action and wait for it with another.
enum class BlockingCollectives : std::uint8_t { as_they_are, begin_and_wait };

/// Writes one rank's calls as SMPI's actions.
class SmpiWriter {
 public:
  /// @param remarks what the actions lack of the calls, each with its number of times
  SmpiWriter(const Trace& trace, std::int32_t rank, double flops_per_s, const MessageTags& tags,
             BlockingCollectives collectives, const ExpandCollective& expand, ExportText& text,
             std::map<std::string, std::int64_t>& remarks)
      : trace_(trace),
        rank_(rank),
        flops_per_s_(flops_per_s),
        tags_(tags),
        collectives_(collectives),
        remarks_(remarks),
        expand_(expand),
        text_(text) {}

  /// The actions of a call and of the work before it, a line each.
  /// @throws InputError if the actions would be wrong, or take too much room
  void write(const RecordedIteration& call);
  std::int64_t actions() const { return actions_; }

 private:
  enum class Request : std::uint8_t { message, collective, expanded, one_sided, nothing };
  struct Open {
    Request kind;
    std::string wait;  ///< a message's source, destination and tag
  };

  /// A collective that is written as messages, as far as that was not done yet.
  struct Expansion {
    std::int32_t tag = 0;
    std::deque<Operation> left;
    std::map<std::int64_t, std::vector<std::string>> waits;  ///< for its messages, by its own requests
    std::int64_t requests = 0;
  };

  template <typename... Arguments>
  void line(const char* format, const Arguments&... arguments);
  void remark(const std::string& what) { ++remarks_[what]; }
  /// SMPI writes it, and its replayer stops there.
  void is_not_replayed(const char* action);

  void write(const Post& post);
  void write_message(const Post& post);
  /// The lines of a send or a receive. @returns what a wait for one of them names
  std::string begin_message(const Post& post, std::int32_t tag);
  void write(Collective collective, const Body& body);
  void write_sizes(const char* name, const Collective& collective, std::span<const std::int64_t> sizes);
  void expand(const Collective& collective, const Body& body);
  /// Writes what a rank does before it has to wait, or all.
  enum class Until : std::uint8_t { first_wait, end };
  void go_on(Expansion& expansion, Until until);
  std::string collective_request() const;
  void write(const Lock& lock);
  /// @param ended  requests that a call completes  @param is_fence  a barrier follows
  void complete(const std::vector<std::int64_t>& ended, bool is_fence);

  const Trace& trace_;
  std::int32_t rank_;
  double flops_per_s_;
  const MessageTags& tags_;
  BlockingCollectives collectives_;
  std::map<std::string, std::int64_t>& remarks_;
  const ExpandCollective& expand_;
  ExportText& text_;
  std::map<std::int64_t, Open> open_;             ///< requests by their numbers
  std::map<std::int64_t, Expansion> expansions_;  ///< the same
  std::map<std::int32_t, std::int64_t> posted_;   ///< expanded collectives that do not block, by communicator
  std::int64_t requests_ = 0;
  std::int64_t calls_ = 0;
  std::int64_t actions_ = 0;
};

}  // namespace finegrain::formats
