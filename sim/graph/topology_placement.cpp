// SPDX-License-Identifier: MIT
#include "sim/graph/topology_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

// It needs <cstdio> and <cstdint>.
#include <scotch.h>

#include "sim/graph/communication_placement.hpp"
#include "sim/graph/neighbours.hpp"
#include "traces/io/input_error.hpp"

namespace {
/// What SCOTCH said last; it reports errors by calling the functions below.
thread_local std::string scotch_error;
}  // namespace

// In place of those of libscotcherr, which write to stderr, and of libscotcherrexit, which end the process.
extern "C" {
void SCOTCH_errorProg(const char* const /*program*/) {}
void SCOTCH_errorPrint(const char* const format, ...) {
  std::array<char, 256> text{};
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  scotch_error = text.data();
}
void SCOTCH_errorPrintW(const char* const /*format*/, ...) {}
}

namespace finegrain::graph {
namespace {

constexpr SCOTCH_Num most_load = 1 << 28;  // all edges': SCOTCH sums them up in 32 bits, times distances

/// @throws InputError if SCOTCH's answer is not 0
void check_scotch(int answer) {
  if (answer == 0) return;
  throw InputError("placement", fmt::format("SCOTCH cannot map the ranks ({})", scotch_error),
                   "Use the placement communication");
}

/// One thread and one seed, whatever else runs: the same input gives the same mapping.
class ScotchContext {
 public:
  ScotchContext() {
    scotch_error.clear();
    check_scotch(SCOTCH_contextInit(&context_));
    SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMDETERMINISTIC, 1);
    SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMRANDOMFIXEDSEED, 1);
    check_scotch(SCOTCH_contextRandomClone(&context_));
    SCOTCH_contextRandomSeed(&context_, 1);
    SCOTCH_contextRandomReset(&context_);
    check_scotch(SCOTCH_contextThreadSpawn(&context_, 1, nullptr));
  }
  ScotchContext(const ScotchContext&) = delete;
  ScotchContext& operator=(const ScotchContext&) = delete;
  ~ScotchContext() { SCOTCH_contextExit(&context_); }
  SCOTCH_Context* get() { return &context_; }

 private:
  SCOTCH_Context context_;
};

/// A graph as SCOTCH takes it: loads of vertices and of edges.
class ScotchGraph {
 public:
  ScotchGraph(ScotchContext& context, const Neighbours& neighbours, std::vector<SCOTCH_Num> vertex_loads)
      : vertex_loads_(std::move(vertex_loads)) {
    std::int64_t sum = 0;
    std::size_t edges = 0;
    for (const std::vector<Neighbour>& of_one : neighbours) {
      edges += of_one.size();
      for (const Neighbour& neighbour : of_one)
        sum += neighbour.bytes;
    }
    if (edges > static_cast<std::size_t>(most_load))
      throw InputError("placement", fmt::format("{} pairs of ranks are too many for SCOTCH", edges / 2),
                       "Use the placement communication");
    const std::int64_t divisor = sum / most_load + 1;
    for (const std::vector<Neighbour>& of_one : neighbours) {
      first_edges_.push_back(static_cast<SCOTCH_Num>(targets_.size()));
      for (const Neighbour& neighbour : of_one) {
        targets_.push_back(neighbour.peer);
        edge_loads_.push_back(static_cast<SCOTCH_Num>(std::max<std::int64_t>(neighbour.bytes / divisor, 1)));
      }
    }
    first_edges_.push_back(static_cast<SCOTCH_Num>(targets_.size()));
    check_scotch(SCOTCH_graphInit(&own_));
    check_scotch(SCOTCH_graphInit(&bound_));
    check_scotch(SCOTCH_graphBuild(&own_, 0, static_cast<SCOTCH_Num>(neighbours.size()), first_edges_.data(),
                                   nullptr, vertex_loads_.data(), nullptr,
                                   static_cast<SCOTCH_Num>(targets_.size()), targets_.data(),
                                   edge_loads_.data()));
    check_scotch(SCOTCH_contextBindGraph(context.get(), &own_, &bound_));
  }
  ScotchGraph(const ScotchGraph&) = delete;
  ScotchGraph& operator=(const ScotchGraph&) = delete;
  ~ScotchGraph() {
    SCOTCH_graphExit(&bound_);
    SCOTCH_graphExit(&own_);
  }
  SCOTCH_Graph* get() { return &bound_; }

 private:
  std::vector<SCOTCH_Num> vertex_loads_;
  std::vector<SCOTCH_Num> first_edges_;
  std::vector<SCOTCH_Num> targets_;
  std::vector<SCOTCH_Num> edge_loads_;
  SCOTCH_Graph own_;
  SCOTCH_Graph bound_;
};

struct ScotchStrategy {
  ScotchStrategy() { check_scotch(SCOTCH_stratInit(&strategy)); }
  ScotchStrategy(const ScotchStrategy&) = delete;
  ScotchStrategy& operator=(const ScotchStrategy&) = delete;
  ~ScotchStrategy() { SCOTCH_stratExit(&strategy); }
  SCOTCH_Strat strategy;
};

struct ScotchMachine {
  ScotchMachine() { check_scotch(SCOTCH_archInit(&machine)); }
  ScotchMachine(const ScotchMachine&) = delete;
  ScotchMachine& operator=(const ScotchMachine&) = delete;
  ~ScotchMachine() { SCOTCH_archExit(&machine); }
  SCOTCH_Arch machine;
};

/// What is mapped, and on what.
struct Task {
  const Neighbours& neighbours;  ///< the neighbours of what is mapped, each of one place
  std::vector<int> room;         ///< places on each node, as many as there is to map
  const Hops& hops;
};

std::int64_t hops_between(const Hops& hops, int a, int b) {
  return hops[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

double cost(const Neighbours& neighbours, const std::vector<int>& nodes, const Hops& hops) {
  double sum = 0;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    for (const auto& [peer, bytes] : neighbours[rank])
      sum +=
          static_cast<double>(bytes * hops_between(hops, nodes[rank], nodes[static_cast<std::size_t>(peer)]));
  return sum / 2;  // each pair was met at both ends
}

/// SCOTCH balances nearly: what a node has too much moves to where it costs least.
void fit_into_room(const Task& task, std::vector<int>& nodes) {
  std::vector<int> room = task.room;
  for (const int node : nodes)
    --room[static_cast<std::size_t>(node)];
  for (std::size_t full = 0; full < room.size(); ++full) {
    for (; room[full] < 0; ++room[full]) {
      std::size_t moved = 0;
      std::size_t target = 0;
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
        if (nodes[rank] != static_cast<int>(full)) continue;
        for (std::size_t node = 0; node < room.size(); ++node) {
          if (room[node] <= 0) continue;
          std::int64_t more = 0;
          for (const auto& [peer, bytes] : task.neighbours[rank]) {
            const int other = nodes[static_cast<std::size_t>(peer)];
            more += bytes * (hops_between(task.hops, static_cast<int>(node), other) -
                             hops_between(task.hops, static_cast<int>(full), other));
          }
          if (more >= least) continue;
          least = more;
          moved = rank;
          target = node;
        }
      }
      nodes[moved] = static_cast<int>(target);
      --room[target];
    }
  }
}

/// The node of each.
std::vector<int> mapped(const Task& task) {
  const auto nodes = task.room.size();
  Neighbours distances(nodes);  // a complete graph: SCOTCH takes loads of a machine's edges as lengths
  for (std::size_t a = 0; a < nodes; ++a)
    for (std::size_t b = 0; b < nodes; ++b)
      if (a != b) distances[a].push_back({static_cast<int>(b), std::max(task.hops[a][b], 1)});
  ScotchContext context;
  ScotchGraph machine_graph(context, distances, {task.room.begin(), task.room.end()});
  ScotchStrategy bipartition;
  ScotchMachine machine;
  check_scotch(SCOTCH_archBuild(&machine.machine, machine_graph.get(), static_cast<SCOTCH_Num>(nodes),
                                nullptr, &bipartition.strategy));
  ScotchGraph ranks(context, task.neighbours, std::vector<SCOTCH_Num>(task.neighbours.size(), 1));
  ScotchStrategy strategy;
  check_scotch(SCOTCH_stratGraphMapBuild(&strategy.strategy, SCOTCH_STRATQUALITY | SCOTCH_STRATBALANCE,
                                         static_cast<SCOTCH_Num>(nodes), 0.01));
  std::vector<SCOTCH_Num> answer(task.neighbours.size());
  check_scotch(SCOTCH_graphMap(ranks.get(), &machine.machine, &strategy.strategy, answer.data()));
  std::vector<int> mapped_nodes(answer.begin(), answer.end());
  fit_into_room(task, mapped_nodes);
  return mapped_nodes;
}

std::vector<int> nodes_of(const problem::Placement& placement) {
  std::vector<int> nodes(static_cast<std::size_t>(placement.ranks()));
  for (int rank = 0; rank < placement.ranks(); ++rank)
    nodes[static_cast<std::size_t>(rank)] = placement.node(rank);
  return nodes;
}

/// The same ranks together, on nodes that SCOTCH chooses.
std::vector<int> with_nodes_mapped(const problem::Placement& placement, const Neighbours& neighbours,
                                   const Hops& hops) {
  const auto count = static_cast<std::size_t>(placement.nodes());
  std::vector<std::vector<std::int64_t>> bytes(count, std::vector<std::int64_t>(count));
  std::vector<int> nodes = nodes_of(placement);
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    for (const Neighbour& neighbour : neighbours[rank])
      bytes[static_cast<std::size_t>(nodes[rank])]
           [static_cast<std::size_t>(nodes[static_cast<std::size_t>(neighbour.peer)])] += neighbour.bytes;
  Neighbours between(count);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b)
      if (a != b && bytes[a][b] > 0) between[a].push_back({static_cast<int>(b), bytes[a][b]});
  const std::vector<int> places = mapped({between, std::vector<int>(count, 1), hops});
  for (int& node : nodes)
    node = places[static_cast<std::size_t>(node)];
  return nodes;
}

}  // namespace

problem::Placement topology_placement(const RankGraph& graph, int ranks_per_node, const Hops& hops) {
  const auto ranks = static_cast<int>(boost::num_vertices(graph));
  const problem::Placement block(ranks, ranks_per_node);
  const problem::Placement together = communication_placement(graph, ranks_per_node);
  const Neighbours neighbours = neighbours_of(graph, static_cast<std::size_t>(ranks));
  std::vector<int> room;
  for (int node = 0; node < block.nodes(); ++node)
    room.push_back(static_cast<int>(block.ranks_of(node).size()));
  std::vector<std::vector<int>> candidates{
      nodes_of(block), nodes_of(problem::cyclic_placement(ranks, ranks_per_node)), nodes_of(together)};
  if (boost::num_edges(graph) > 0) {
    candidates.push_back(mapped({neighbours, room, hops}));
    // Node 0 has to hold as many ranks as any.
    if (ranks % ranks_per_node == 0) candidates.push_back(with_nodes_mapped(together, neighbours, hops));
  }
  return problem::Placement(*std::ranges::min_element(
      candidates, {}, [&](const std::vector<int>& nodes) { return cost(neighbours, nodes, hops); }));
}

double bytes_times_hops(const RankGraph& graph, const problem::Placement& placement, const Hops& hops) {
  const auto ranks = static_cast<std::size_t>(placement.ranks());
  return cost(neighbours_of(graph, ranks), nodes_of(placement), hops);
}

}  // namespace finegrain::graph
