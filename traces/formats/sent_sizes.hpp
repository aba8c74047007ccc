// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "traces/trace_reader.hpp"

namespace finegrain::formats {

/// How long the messages of a run are. A receive's own size is that of its buffer, which may be longer than
/// the message that it took.
class SentSizes {
 public:
  /// Messages that are alike are received in the order in which they are sent.
  struct Alike {
    std::int32_t communicator = 0;
    std::int32_t source = 0;  ///< ranks of the run
    std::int32_t destination = 0;
    std::int32_t tag = 0;

    friend auto operator<=>(const Alike&, const Alike&) = default;
  };

  /// Reads all ranks' sends. @throws InputError as reading does
  explicit SentSizes(const Trace& trace);

  /// @returns the bytes of the first of these messages that was not taken yet; none if there is no other
  std::optional<std::int64_t> take(const Alike& alike);

 private:
  /// Messages of one size, one after the other.
  struct Stretch {
    std::int64_t size_bytes;
    std::int64_t count;
  };
  struct Sent {
    std::vector<Stretch> stretches;
    std::size_t next = 0;    ///< stretch
    std::int64_t taken = 0;  ///< messages of that stretch
  };

  std::map<Alike, Sent> sent_;
};

}  // namespace finegrain::formats
