// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "traces/formats/otf2_collectives.hpp"

namespace finegrain::formats {

/// One collective of all ranks of a communicator, as each of them recorded it. Vectors are in the order of
/// the communicator's ranks.
struct Otf2Meeting {
  CollectiveKind kind;
  std::int32_t root = 0;
  std::vector<std::int64_t> sent, received;  ///< bytes
  std::vector<RankCalls*> calls;
  std::vector<std::size_t> operations;  ///< the calls' operations, up to the first of another kind

  std::size_t ranks() const { return sent.size(); }
  Collective& collective(std::size_t rank) const {
    return std::get<Collective>(calls[rank]->operations[operations[rank]]);
  }
};

/// Calls visit for each collective that all its ranks recorded: one communicator after the other, each in its
/// ranks' order.
void for_each_meeting(std::span<RankCalls> ranks, std::span<const Communicator> communicators,
                      std::span<const std::vector<Otf2Collective>> collectives,
                      const std::function<void(const Otf2Meeting&)>& visit);

}  // namespace finegrain::formats
