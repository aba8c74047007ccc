// SPDX-License-Identifier: MIT
#include "sim/report/communication.hpp"

#include <algorithm>
#include <boost/range/iterator_range.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/graph/traffic.hpp"

namespace finegrain::report {
namespace {

/// What each rank (or group of ranks) sends to each other, by sender and receiver.
using Volumes = std::map<std::pair<int, int>, pattern::Volume>;

Volumes volumes_of_pairs(const Schedule& schedule) {
  Volumes volumes;
  for (int rank = 0; rank < schedule.run.ranks; ++rank) {
    for_each_post(schedule.ranks[static_cast<std::size_t>(rank)].operations, [&](const Post& post) {
      if (post.kind == TransferKind::receive) return;  // the sender's post counts the message
      const bool incoming = is_incoming(post.kind);
      pattern::Volume& volume = volumes[incoming ? std::pair(post.peer, rank) : std::pair(rank, post.peer)];
      volume.messages += post.repeat;
      volume.bytes += post.repeat * post.size_bytes;
    });
  }
  return volumes;
}

/// Joins groups in pairs, the senders' as well as the receivers'.
Volumes coarser(const Volumes& volumes) {
  Volumes sums;
  for (const auto& [pair, volume] : volumes) {
    pattern::Volume& sum = sums[{pair.first / 2, pair.second / 2}];
    sum.messages += volume.messages;
    sum.bytes += volume.bytes;
  }
  return sums;
}

nlohmann::json cells_of(Volumes volumes, std::size_t most_cells) {
  int ranks_per_cell = 1;
  for (; volumes.size() > most_cells; ranks_per_cell *= 2)
    volumes = coarser(volumes);
  auto cells = nlohmann::json::array();
  for (const auto& [pair, volume] : volumes)
    cells.push_back({pair.first, pair.second, volume.bytes, volume.messages});
  return {{"ranks_per_cell", ranks_per_cell}, {"cells", std::move(cells)}};
}

}  // namespace

nlohmann::json communication_of(const Schedule& schedule, std::size_t most_cells) {
  return cells_of(volumes_of_pairs(schedule), most_cells);
}

nlohmann::json communication_of(const graph::RankGraph& graph, std::size_t most_cells) {
  Volumes volumes;
  for (const auto edge : boost::make_iterator_range(boost::edges(graph)))
    volumes[{static_cast<int>(boost::source(edge, graph)), static_cast<int>(boost::target(edge, graph))}] =
        graph[edge];
  return cells_of(std::move(volumes), most_cells);
}

}  // namespace finegrain::report
