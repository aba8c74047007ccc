// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "traces/trace_reader.hpp"

namespace finegrain::formats {

/// The tags that messages have in a format without communicators. Those of all ranks' communicator keep
/// theirs; others get tags that no message has, one for each communicator and tag.
class SmpiTags {
 public:
  /// Reads the whole trace. @throws InputError if there are too many tags, or the trace is damaged
  explicit SmpiTags(const Trace& trace);

  std::int32_t of(const Post& post) const;
  std::int64_t messages() const { return messages_; }  ///< sent under another tag than theirs
  std::int32_t first() const { return first_; }        ///< of the new tags

 private:
  using Key = std::pair<std::int32_t, std::int32_t>;  ///< communicator and tag
  std::map<Key, std::int32_t> tags_;
  std::int64_t messages_ = 0;
  std::int32_t first_ = 0;
};

}  // namespace finegrain::formats
