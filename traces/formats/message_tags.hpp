// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "traces/trace_reader.hpp"

namespace finegrain::formats {

/// The tags of messages in a format without communicators. Messages of the communicator of all ranks keep
/// their tags. The others get tags that no message has, one for each communicator and tag.
class MessageTags {
 public:
  /// Reads the whole trace. @throws InputError if there are too many tags, or the trace is damaged
  explicit MessageTags(const Trace& trace);

  std::int32_t of(const Post& post) const;
  std::int64_t messages() const { return messages_; }  ///< sent under another tag than theirs
  std::int32_t first() const { return first_; }        ///< the first of the new tags
  std::int64_t after_last() const { return std::int64_t{first_} + std::ssize(tags_); }  ///< nobody has it

 private:
  using Key = std::pair<std::int32_t, std::int32_t>;  ///< communicator and tag
  std::map<Key, std::int32_t> tags_;
  std::int64_t messages_ = 0;
  std::int32_t first_ = 0;
};

}  // namespace finegrain::formats
