// SPDX-License-Identifier: MIT
#include "sim/graph/communication_placement.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "sim/graph/neighbours.hpp"

namespace finegrain::graph {
namespace {

/// Nodes have ranks_per_node places, and those that no rank takes are held by idle ones without neighbours,
/// so that a move is an exchange as well. Idle ranks follow the others.
struct Partition {
  std::vector<int> nodes_of_ranks;  ///< shape [nodes * ranks_per_node]
  int nodes = 0;
};

std::int64_t bytes_between_nodes(const Partition& partition, const Neighbours& neighbours) {
  std::int64_t bytes = 0;
  for (std::size_t rank = 0; rank < neighbours.size(); ++rank)
    for (const Neighbour& neighbour : neighbours[rank])
      if (partition.nodes_of_ranks[rank] !=
          partition.nodes_of_ranks[static_cast<std::size_t>(neighbour.peer)])
        bytes += neighbour.bytes;
  return bytes / 2;  // each pair was met at both ends
}

/// With idle ranks where there is room.
Partition with_idle_ranks(const problem::Placement& placement, int ranks_per_node) {
  Partition partition{{}, placement.nodes()};
  for (int rank = 0; rank < placement.ranks(); ++rank)
    partition.nodes_of_ranks.push_back(placement.node(rank));
  for (int node = 0; node < placement.nodes(); ++node)
    partition.nodes_of_ranks.resize(partition.nodes_of_ranks.size() +
                                        static_cast<std::size_t>(ranks_per_node) -
                                        placement.ranks_of(node).size(),
                                    node);
  return partition;
}

/// Fills one node after the other, each beginning with the first rank left, with the rank that exchanges most
/// with those already there.
Partition grown(const Neighbours& neighbours, int ranks, int nodes, int ranks_per_node) {
  constexpr int none = -1;
  Partition partition{std::vector<int>(neighbours.size(), none), nodes};
  int first_left = 0;
  for (int node = 0; node < nodes; ++node) {
    std::map<int, std::int64_t> bytes;              // what ranks beside the node exchange with those on it
    std::set<std::pair<std::int64_t, int>> beside;  // the most bytes first: negative
    for (int place = 0; place < ranks_per_node; ++place) {
      while (first_left < ranks && partition.nodes_of_ranks[static_cast<std::size_t>(first_left)] != none)
        ++first_left;
      if (first_left == ranks) break;
      int rank = first_left;
      if (!beside.empty()) {
        rank = beside.begin()->second;
        beside.erase(beside.begin());
      }
      partition.nodes_of_ranks[static_cast<std::size_t>(rank)] = node;
      for (const Neighbour& neighbour : neighbours[static_cast<std::size_t>(rank)]) {
        if (partition.nodes_of_ranks[static_cast<std::size_t>(neighbour.peer)] != none) continue;
        std::int64_t& so_far = bytes[neighbour.peer];
        beside.erase({-so_far, neighbour.peer});
        so_far += neighbour.bytes;
        beside.insert({-so_far, neighbour.peer});
      }
    }
  }
  // The last node alone can have room left.
  std::ranges::replace(partition.nodes_of_ranks, none, nodes - 1);
  return partition;
}

/// Kernighan and Lin's pass over two nodes.
class PairOfNodes {
 public:
  PairOfNodes(const std::vector<int>& first, const std::vector<int>& second, const Neighbours& neighbours,
              std::vector<int>& place_of_rank)
      : ranks_(first), saves_(2 * first.size()) {
    ranks_.insert(ranks_.end(), second.begin(), second.end());
    constexpr int elsewhere = -1;
    for (std::size_t place = 0; place < ranks_.size(); ++place)
      place_of_rank[static_cast<std::size_t>(ranks_[place])] = static_cast<int>(place);
    for (std::size_t place = 0; place < ranks_.size(); ++place) {
      first_beside_.push_back(beside_.size());
      for (const Neighbour& neighbour : neighbours[static_cast<std::size_t>(ranks_[place])]) {
        const int other = place_of_rank[static_cast<std::size_t>(neighbour.peer)];
        if (other == elsewhere) continue;
        beside_.push_back({static_cast<std::size_t>(other), neighbour.bytes});
        const bool together = is_first(place) == is_first(static_cast<std::size_t>(other));
        saves_[place] += together ? -neighbour.bytes : neighbour.bytes;
        if (!together && is_first(place)) between_ += neighbour.bytes;
      }
    }
    first_beside_.push_back(beside_.size());
    for (const int rank : ranks_)
      place_of_rank[static_cast<std::size_t>(rank)] = elsewhere;
  }

  /// The exchanges that together save the most bytes, as ranks of the first and of the second node; none
  /// where nothing can be saved. Exchanges are tried one after the other, the best first even if it costs,
  /// each rank once; what pays is the best beginning of that sequence. It ends as soon as the exchanged ranks
  /// alone keep as many bytes between the nodes as the best beginning leaves.
  std::vector<std::pair<int, int>> exchanges() {
    const std::size_t half = ranks_.size() / 2;
    std::vector<std::size_t> first(half);
    std::vector<std::size_t> second(half);
    std::iota(first.begin(), first.end(), std::size_t{0});
    std::iota(second.begin(), second.end(), half);
    const auto most_first = [&](std::size_t x, std::size_t y) { return comes_before(x, y); };
    std::ranges::sort(first, most_first);
    std::ranges::sort(second, most_first);
    std::vector<std::pair<int, int>> tried;
    std::int64_t saved = 0;
    std::int64_t most_saved = 0;
    std::int64_t kept_between = 0;  // by the ranks that were exchanged
    std::vector<bool> is_exchanged(ranks_.size());
    std::size_t best_count = 0;
    while (!first.empty() && kept_between < between_ - most_saved) {
      const auto [a, b, saving] = best_exchange(first, second);
      std::erase(first, a);
      std::erase(second, b);
      tried.emplace_back(ranks_[a], ranks_[b]);
      is_exchanged[a] = is_exchanged[b] = true;
      // Whoever stays on the side that one has left saves as much more by following it, and the others less.
      for (const std::size_t moved : {a, b}) {
        for (const auto& [place, bytes] : beside(moved)) {
          const bool was_together = is_first(place) == is_first(moved);
          if (!is_exchanged[place])
            saves_[place] += was_together ? 2 * bytes : -2 * bytes;
          else if (!was_together && (moved == a || place != a))
            kept_between += bytes;
        }
      }
      saved += saving;
      if (saved > most_saved) {
        most_saved = saved;
        best_count = tried.size();
      }
      sort_again(first);
      sort_again(second);
    }
    tried.resize(best_count);
    return tried;
  }

 private:
  /// What a rank exchanges with another one of the two nodes.
  struct Beside {
    std::size_t place;
    std::int64_t bytes;
  };
  struct Exchange {
    std::size_t a;
    std::size_t b;
    std::int64_t saving;
  };

  bool is_first(std::size_t place) const { return place < ranks_.size() / 2; }
  /// Those of the two nodes that exchange bytes with a rank.
  std::span<const Beside> beside(std::size_t place) const {
    return std::span(beside_).subspan(first_beside_[place], first_beside_[place + 1] - first_beside_[place]);
  }
  std::int64_t bytes(std::size_t a, std::size_t b) const {
    const auto found = std::ranges::find(beside(a), b, &Beside::place);
    return found == beside(a).end() ? 0 : found->bytes;
  }

  /// The order in which ranks of a node are tried: what saves most first.
  bool comes_before(std::size_t x, std::size_t y) const {
    return saves_[x] > saves_[y] || (saves_[x] == saves_[y] && x < y);
  }

  /// Sorts again after an exchange. Insertion takes few steps, because only neighbours of the two ranks have
  /// changed.
  void sort_again(std::vector<std::size_t>& places) const {
    for (std::size_t i = 1; i < places.size(); ++i) {
      const std::size_t place = places[i];
      std::size_t hole = i;
      for (; hole > 0 && comes_before(place, places[hole - 1]); --hole)
        places[hole] = places[hole - 1];
      places[hole] = place;
    }
  }

  /// Looks at pairs in the order of what they would save if they exchanged nothing, which is the most that
  /// they can: often only the first few.
  Exchange best_exchange(const std::vector<std::size_t>& first,
                         const std::vector<std::size_t>& second) const {
    std::optional<Exchange> best;
    for (const std::size_t a : first) {
      if (best && saves_[a] + saves_[second.front()] <= best->saving) break;
      for (const std::size_t b : second) {
        if (best && saves_[a] + saves_[b] <= best->saving) break;
        const std::int64_t saving = saves_[a] + saves_[b] - 2 * bytes(a, b);
        if (!best || saving > best->saving) best = {a, b, saving};
      }
    }
    return *best;
  }

  std::vector<int> ranks_;      ///< the first node's, then the second's
  std::vector<Beside> beside_;  ///< all ranks', one after the other
  std::vector<std::size_t> first_beside_;
  std::vector<std::int64_t> saves_;  ///< bytes that moving a rank to the other node takes off the network
  std::int64_t between_ = 0;         ///< bytes that the two nodes exchange
};

using Nodes = std::pair<int, int>;

/// Pairs of nodes that exchange anything, in ascending order.
std::set<Nodes> communicating(const Partition& partition, const Neighbours& neighbours) {
  std::set<Nodes> pairs;
  for (std::size_t rank = 0; rank < neighbours.size(); ++rank) {
    for (const Neighbour& neighbour : neighbours[rank]) {
      const int a = partition.nodes_of_ranks[rank];
      const int b = partition.nodes_of_ranks[static_cast<std::size_t>(neighbour.peer)];
      if (a < b) pairs.emplace(a, b);
    }
  }
  return pairs;
}

/// Exchanges ranks between two nodes at a time until no two nodes can save any more.
void refine(Partition& partition, const Neighbours& neighbours) {
  std::vector<std::vector<int>> ranks_of_nodes(static_cast<std::size_t>(partition.nodes));
  for (std::size_t rank = 0; rank < partition.nodes_of_ranks.size(); ++rank)
    ranks_of_nodes[static_cast<std::size_t>(partition.nodes_of_ranks[rank])].push_back(
        static_cast<int>(rank));
  std::vector<int> place_of_rank(neighbours.size(), -1);
  std::vector<bool> changed(ranks_of_nodes.size(), true);
  while (std::ranges::find(changed, true) != changed.end()) {
    const std::vector<bool> changed_before = std::exchange(changed, std::vector<bool>(changed.size()));
    for (const auto& [a, b] : communicating(partition, neighbours)) {
      const auto first = static_cast<std::size_t>(a);
      const auto second = static_cast<std::size_t>(b);
      if (!changed_before[first] && !changed_before[second] && !changed[first] && !changed[second]) continue;
      PairOfNodes pair(ranks_of_nodes[first], ranks_of_nodes[second], neighbours, place_of_rank);
      for (const auto& [x, y] : pair.exchanges()) {
        *std::ranges::find(ranks_of_nodes[first], x) = y;
        *std::ranges::find(ranks_of_nodes[second], y) = x;
        partition.nodes_of_ranks[static_cast<std::size_t>(x)] = b;
        partition.nodes_of_ranks[static_cast<std::size_t>(y)] = a;
        changed[first] = changed[second] = true;
      }
    }
  }
}

/// Without the idle ranks. The fullest nodes come first, and of equals those with the lowest ranks.
problem::Placement placement_of(const Partition& partition, int ranks) {
  std::vector<std::vector<int>> ranks_of_nodes(static_cast<std::size_t>(partition.nodes));
  for (int rank = 0; rank < ranks; ++rank)
    ranks_of_nodes[static_cast<std::size_t>(partition.nodes_of_ranks[static_cast<std::size_t>(rank)])]
        .push_back(rank);
  std::ranges::sort(ranks_of_nodes, [](const auto& a, const auto& b) {
    return std::pair(b.size(), a.front()) < std::pair(a.size(), b.front());
  });
  std::vector<int> nodes_of_ranks(static_cast<std::size_t>(ranks));
  for (std::size_t node = 0; node < ranks_of_nodes.size(); ++node)
    for (const int rank : ranks_of_nodes[node])
      nodes_of_ranks[static_cast<std::size_t>(rank)] = static_cast<int>(node);
  return problem::Placement(std::move(nodes_of_ranks));
}

}  // namespace

problem::Placement communication_placement(const RankGraph& graph, int ranks_per_node) {
  const auto ranks = static_cast<int>(boost::num_vertices(graph));
  const problem::Placement block(ranks, ranks_per_node);
  const auto places = static_cast<std::size_t>(block.nodes()) * static_cast<std::size_t>(ranks_per_node);
  const Neighbours neighbours = neighbours_of(graph, places);
  std::vector<Partition> starts{
      with_idle_ranks(block, ranks_per_node),
      with_idle_ranks(problem::cyclic_placement(ranks, ranks_per_node), ranks_per_node),
      grown(neighbours, ranks, block.nodes(), ranks_per_node)};
  for (Partition& partition : starts)
    refine(partition, neighbours);
  return placement_of(
      *std::ranges::min_element(
          starts, {}, [&](const Partition& partition) { return bytes_between_nodes(partition, neighbours); }),
      ranks);
}

}  // namespace finegrain::graph
