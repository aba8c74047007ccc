// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "sim/replay/folding/call_sequence.hpp"
#include "traces/operation.hpp"

namespace finegrain::replay {

/// One region of a rank's program, done once.
struct Piece {
  std::shared_ptr<const Body> body;
  double seconds;  ///< its timed work's
};

/// The regions of all calls, in their order.
std::vector<Piece> pieces_of(const CallSequence& sequence);

// Whether all operations are of this kind, or there are none.
bool only_completes(const Body& body);
bool only_works(const Body& body);

/// A region with one operation.
std::shared_ptr<const Body> one_operation(RegionName name, const Operation& operation);

/// The requests of a rank that it has not waited for.
class OpenRequests {
 public:
  /// The rank's next operation.
  void add(const Operation& operation);
  bool empty() const { return open_.empty(); }

 private:
  std::set<std::int64_t> open_;
  std::int64_t newest_ = 0;
};

}  // namespace finegrain::replay
