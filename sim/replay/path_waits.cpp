// SPDX-License-Identifier: MIT
#include "sim/replay/path_waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace finegrain::replay {

std::string PathWait::text(double makespan_s) const {
  const std::int64_t others = awaited_ranks - 1;
  return fmt::format("{:.{}f} % of the way: {} waits for {} of rank {}{}", 100 * waited_s / makespan_s,
                     waited_s < 0.1 * makespan_s ? 1 : 0, place, awaited, longest_awaited_rank,
                     others == 0   ? ""
                     : others == 1 ? " and 1 other rank"
                                   : fmt::format(" and {} other ranks", others));
}

std::vector<PathWait> path_waits(std::span<const PathPiece> path,
                                 const std::function<std::string(std::int32_t, std::int32_t)>& name) {
  std::map<std::pair<std::string, std::string>, std::map<std::int32_t, double>> seconds;
  for (const PathPiece& piece : path)
    if (piece.peer_phase >= 0)
      seconds[{name(piece.rank, piece.phase), name(piece.peer, piece.peer_phase)}][piece.peer] +=
          piece.waited_s;
  std::vector<PathWait> waits;
  for (const auto& [places, ranks] : seconds) {
    const auto longest = std::ranges::max_element(ranks, {}, [](const auto& rank) { return rank.second; });
    waits.push_back({places.first, places.second, longest->first, std::ssize(ranks)});
    for (const auto& [rank, waited_s] : ranks)
      waits.back().waited_s += waited_s;
  }
  std::ranges::stable_sort(waits, std::ranges::greater(), &PathWait::waited_s);
  return waits;
}

}  // namespace finegrain::replay
