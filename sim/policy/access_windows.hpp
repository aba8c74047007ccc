// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/pattern/pattern.hpp"
#include "traces/run.hpp"

namespace finegrain::policy {

/// Some consecutive iterations of one rank's loop, and what they access of other ranks' memory.
struct AccessWindow {
  int rank = 0;
  int stage = 0;
  pattern::AccessLoop loop;                ///< the loop that the window is a part of
  std::int64_t first = 0;                  ///< first iteration
  std::int64_t last = 0;                   ///< the iteration after its last one
  std::int64_t references = 0;             ///< to shared elements, the rank's own included
  std::int64_t foreign = 0;                ///< those of these references to other ranks' elements
  std::int64_t elements = 0;               ///< distinct elements among these foreign ones
  std::vector<pattern::PeerBytes> reads;   ///< each distinct element once; peers ascending
  std::vector<pattern::PeerBytes> writes;  ///< each distinct element once; peers ascending
  std::vector<std::int64_t> written;       ///< distinct elements written to each peer; shape [writes]

  /// The window's part of `whole`, which is spread evenly over the loop's iterations.
  std::int64_t share_of(std::int64_t whole) const;
};

/// Cuts every rank's loops into windows of `length` iterations; the last of a loop may be shorter. A window
/// ends at a sequence point. Calls visit for all of them, those of each rank in program order.
/// @pre the pattern's kind has_accesses()
void for_each_window(const pattern::Pattern& pattern, const Run& run, std::int64_t length,
                     const std::function<void(const AccessWindow&)>& visit);

}  // namespace finegrain::policy
