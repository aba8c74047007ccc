// SPDX-License-Identifier: MIT
#include "sim/replay/folding/agreement.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <cmath>
#include <numeric>

namespace finegrain::replay {
namespace {

/// A rank's first or last iteration may have a call of its own, and not count.
constexpr std::size_t most_surplus = 2;

/// One loop of each rank. @returns none if they are not the same
std::optional<std::vector<RankLoop>> agree_on(std::span<const PeriodicCalls> loops) {
  const std::size_t fewest = std::ranges::min(loops, {}, &PeriodicCalls::count).count();
  std::vector<RankLoop> common;
  for (const PeriodicCalls& loop : loops) {
    const auto parts = static_cast<std::size_t>(
        std::lround(static_cast<double>(loop.count()) / static_cast<double>(fewest)));
    common.push_back({loop.first, loop.period * parts, loop.count() / parts});
  }
  const std::size_t count = std::ranges::min(common, {}, &RankLoop::iterations).iterations;
  if (count < fewest_iterations) return std::nullopt;
  for (RankLoop& loop : common) {
    if (loop.iterations > count + most_surplus) return std::nullopt;
    loop.iterations = count;
  }
  return common;
}

}  // namespace

std::optional<std::vector<std::vector<RankLoop>>> agree(
    const std::vector<std::vector<PeriodicCalls>>& found) {
  const auto agree_on_all = [](const std::vector<std::vector<PeriodicCalls>>& of_ranks)
      -> std::optional<std::vector<std::vector<RankLoop>>> {
    std::vector<std::vector<RankLoop>> agreed(of_ranks.size());
    for (std::size_t l = 0; l < of_ranks.front().size(); ++l) {
      std::vector<PeriodicCalls> one;
      for (const auto& loops : of_ranks) {
        if (loops.size() != of_ranks.front().size()) return std::nullopt;
        one.push_back(loops[l]);
      }
      const auto common = agree_on(one);
      if (!common) return std::nullopt;
      for (std::size_t rank = 0; rank < agreed.size(); ++rank)
        agreed[rank].push_back((*common)[rank]);
    }
    return agreed;
  };
  if (std::ranges::any_of(found, [](const auto& loops) { return loops.empty(); })) return std::nullopt;
  if (auto agreed = agree_on_all(found)) return agreed;
  // Each rank's longest.
  std::vector<std::vector<PeriodicCalls>> longest;
  for (const auto& loops : found)
    longest.push_back({std::ranges::max(loops, {}, &PeriodicCalls::length)});
  return agree_on_all(longest);
}

std::span<const std::int32_t> LoopBalance::ranks_of(std::int32_t communicator) const {
  return communicator == 0 ? std::span<const std::int32_t>() : programs_.communicator(communicator);
}

LoopBalance::Waiting LoopBalance::waiting(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
    case CollectiveKind::scatterv:
      return Waiting::for_root;
    case CollectiveKind::gather:
    case CollectiveKind::gatherv:
    case CollectiveKind::reduce:
    case CollectiveKind::scan:  // whose last rank waits for all
    case CollectiveKind::exscan:
      return Waiting::root;
    default:
      return Waiting::all;
  }
}

void LoopBalance::add(int rank, const Body& body) {
  for (const Operation& operation : body.operations) {
    if (const auto* post = std::get_if<Post>(&operation); post != nullptr && is_two_sided(post->kind)) {
      const bool sends = post->kind == TransferKind::send;
      messages_[{sends ? rank : post->peer, sends ? post->peer : rank, post->communicator, post->tag}] +=
          sends ? 1 : -1;
    } else if (const auto* lock = std::get_if<Lock>(&operation)) {
      locks_[{rank, lock->window, lock->peer}] += lock->acquire ? 1 : -1;
    } else if (const auto* collective = std::get_if<Collective>(&operation)) {
      const std::int32_t communicator = collective->communicator;
      ++collectives_[{communicator, collective->blocking}][rank];
      const Waiting who = waiting(collective->kind);
      const bool is_scan =
          collective->kind == CollectiveKind::scan || collective->kind == CollectiveKind::exscan;
      const auto ranks = ranks_of(communicator);
      const auto in_run = [&](std::int32_t number) {
        return ranks.empty() ? number : ranks[static_cast<std::size_t>(number)];
      };
      const std::int32_t last = (ranks.empty() ? programs_.ranks() : static_cast<int>(ranks.size())) - 1;
      meetings_.emplace(communicator, who,
                        who == Waiting::all ? 0 : in_run(is_scan ? last : std::min(last, collective->root)));
    }
  }
}

bool LoopBalance::is_closed() const {
  for (const auto& [connection, open] : messages_)
    if (open != 0) return false;
  for (const auto& [lock, taken] : locks_)
    if (taken != 0) return false;
  for (const auto& [of, counts] : collectives_) {
    const auto ranks = ranks_of(std::get<0>(of));
    const std::size_t size = ranks.empty() ? static_cast<std::size_t>(programs_.ranks()) : ranks.size();
    if (counts.size() != size) return false;
    for (const auto& [rank, count] : counts)
      if (count != counts.begin()->second) return false;
  }
  return true;
}

bool LoopBalance::is_coupled() const {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  const auto ranks = static_cast<std::size_t>(programs_.ranks());
  Graph graph(ranks + meetings_.size());
  for (const auto& [connection, open] : messages_)
    add_edge(static_cast<std::size_t>(std::get<0>(connection)),
             static_cast<std::size_t>(std::get<1>(connection)), graph);
  std::size_t meeting = ranks;
  for (const auto& [communicator, who, root] : meetings_) {
    const auto some = ranks_of(communicator);
    std::vector<std::int32_t> all(some.begin(), some.end());
    if (all.empty()) {
      all.resize(ranks);
      std::iota(all.begin(), all.end(), 0);
    }
    for (const std::int32_t number : all) {
      const auto rank = static_cast<std::size_t>(number);
      if (who != Waiting::for_root || number == root) add_edge(rank, meeting, graph);
      if (who != Waiting::root || number == root) add_edge(meeting, rank, graph);
    }
    ++meeting;
  }
  std::vector<std::size_t> components(num_vertices(graph));
  boost::strong_components(
      graph, boost::make_iterator_property_map(components.begin(), get(boost::vertex_index, graph)));
  return std::all_of(components.begin(), components.begin() + static_cast<std::ptrdiff_t>(ranks),
                     [&](std::size_t component) { return component == components.front(); });
}

}  // namespace finegrain::replay
