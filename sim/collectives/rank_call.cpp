// SPDX-License-Identifier: MIT
#include "sim/collectives/rank_call.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/io/input_error.hpp"

namespace finegrain::collectives {

RankCall rank_call(const Collective& collective, const Body& body, const Programs& programs, int rank) {
  RankCall result{.call = {.kind = collective.kind,
                           .blocking = collective.blocking,
                           .commutative = collective.commutative,
                           .ranks = programs.ranks(),
                           .rank = rank,
                           .root = collective.root,
                           .element_bytes = collective.element_bytes,
                           .size_bytes = collective.size_bytes,
                           .sizes = std::span(body.sizes)
                                        .subspan(static_cast<std::size_t>(collective.first_size),
                                                 static_cast<std::size_t>(collective.size_count)),
                           .chosen = collective.chosen},
                  .ranks = {}};
  if (collective.communicator == 0) return result;
  result.ranks = programs.communicator(collective.communicator);
  const auto place = std::ranges::find(result.ranks, rank);
  if (place == result.ranks.end())
    throw InputError(fmt::format("rank {}", rank), "calls a collective of a communicator that it is not in",
                     "Record the trace again");
  result.call.ranks = static_cast<int>(result.ranks.size());
  result.call.rank = static_cast<int>(place - result.ranks.begin());
  return result;
}

}  // namespace finegrain::collectives
