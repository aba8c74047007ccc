// SPDX-License-Identifier: MIT
#pragma once

#include "traces/programs.hpp"

namespace finegrain {

/// A cursor that knows about how much of its program has been read, for people who wait.
class KnowsShareRead {
 public:
  virtual ~KnowsShareRead() = default;
  /// From 0 to 1.
  virtual double share_read() const = 0;
};

/// 0 if the cursor does not know.
inline double share_read_by(const ProgramCursor& cursor) {
  const auto* knows = dynamic_cast<const KnowsShareRead*>(&cursor);
  return knows != nullptr ? knows->share_read() : 0;
}

}  // namespace finegrain
