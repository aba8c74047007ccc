// SPDX-License-Identifier: MIT
#include "kernels/problem/uneven_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::problem {
namespace {

void check_room(int ranks, std::span<const int> most_of_nodes) {
  const std::int64_t room = std::accumulate(most_of_nodes.begin(), most_of_nodes.end(), std::int64_t{0});
  if (ranks > room)
    throw InputError("ranks",
                     fmt::format("{} for {} that have room for {} together", format_count(ranks, "rank"),
                                 format_count(std::ssize(most_of_nodes), "node"), room),
                     "Use fewer ranks, or a larger platform");
}

/// @pre the first so many nodes have room for the ranks
Placement dealt_to(int nodes, int ranks, std::span<const int> most_of_nodes) {
  std::vector<int> nodes_of_ranks;
  for (int round = 0; std::cmp_less(nodes_of_ranks.size(), ranks); ++round)
    for (int node = 0; node < nodes && std::cmp_less(nodes_of_ranks.size(), ranks); ++node)
      if (round < most_of_nodes[static_cast<std::size_t>(node)]) nodes_of_ranks.push_back(node);
  return Placement(std::move(nodes_of_ranks));
}

}  // namespace

Placement given_placement(int ranks, const std::vector<int>& nodes_of_ranks) {
  if (std::cmp_not_equal(ranks, nodes_of_ranks.size()))
    throw InputError("rankfile",
                     fmt::format("{}, and it places {}", format_count(ranks, "rank"),
                                 format_count(std::ssize(nodes_of_ranks), "rank")),
                     "Give each rank a host");
  return Placement(nodes_of_ranks);
}

Placement filled_placement(int ranks, const Room& room) {
  return room.nodes_of_ranks.empty() ? filled_placement(ranks, room.most_of_nodes)
                                     : given_placement(ranks, room.nodes_of_ranks);
}

Placement filled_placement(int ranks, std::span<const int> most_of_nodes) {
  check_room(ranks, most_of_nodes);
  std::vector<int> nodes_of_ranks;
  for (int node = 0; std::cmp_less(nodes_of_ranks.size(), ranks); ++node)
    for (int rank = 0;
         rank < most_of_nodes[static_cast<std::size_t>(node)] && std::cmp_less(nodes_of_ranks.size(), ranks);
         ++rank)
      nodes_of_ranks.push_back(node);
  return Placement(std::move(nodes_of_ranks));
}

Placement dealt_placement(int ranks, std::span<const int> most_of_nodes) {
  return dealt_to(filled_placement(ranks, most_of_nodes).nodes(), ranks, most_of_nodes);
}

Placement dealt_placement(int ranks, const Room& room) {
  if (!room.deals_to_all) return dealt_placement(ranks, room.most_of_nodes);
  check_room(ranks, room.most_of_nodes);
  return dealt_to(std::min(ranks, static_cast<int>(room.most_of_nodes.size())), ranks, room.most_of_nodes);
}

bool are_on_same_nodes(const Placement& a, const Placement& b) {
  for (int rank = 0; rank < a.ranks(); ++rank)
    if (a.node(rank) != b.node(rank)) return false;
  return true;
}

}  // namespace finegrain::problem
