// SPDX-License-Identifier: MIT
#include "sim/replay/path_waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace finegrain::replay {

std::string PathWait::text(double makespan_s) const {
  const std::int64_t others = awaited_ranks - 1;
  return fmt::format("{:.{}f} % of the way: {} waits for {} of rank {}{}", 100 * waited_s / makespan_s,
                     waited_s < 0.1 * makespan_s ? 1 : 0, place, awaited, longest_awaited_rank,
                     others == 0   ? ""
                     : others == 1 ? " and 1 other rank"
                                   : fmt::format(" and {} other ranks", others));
}

namespace {

/// One place's waits for another place.
struct PlaceWaits {
  std::vector<std::pair<double, double>> since_until_s;
  std::map<std::int32_t, double> of_ranks_s;  ///< by the rank that is waited for
};

/// How long one of them at least lasts. @param since_until_s  is sorted
double union_s(std::vector<std::pair<double, double>>& since_until_s) {
  std::ranges::sort(since_until_s);
  double sum_s = 0;
  double covered_s = 0;
  for (const auto& [since_s, until_s] : since_until_s) {
    sum_s += std::max(0., until_s - std::max(since_s, covered_s));
    covered_s = std::max(covered_s, until_s);
  }
  return sum_s;
}

}  // namespace

std::vector<PathWait> path_waits(std::span<const PathPiece> path,
                                 const std::function<std::string(std::int32_t, std::int32_t)>& name) {
  std::map<std::pair<std::string, std::string>, PlaceWaits> found;
  for (const PathPiece& piece : path) {
    if (piece.peer_phase < 0) continue;
    PlaceWaits& waits = found[{name(piece.rank, piece.phase), name(piece.peer, piece.peer_phase)}];
    waits.since_until_s.emplace_back(piece.waits_since_s, piece.waits_until_s);
    waits.of_ranks_s[piece.peer] += piece.waits_until_s - piece.waits_since_s;
  }
  std::vector<PathWait> waits;
  for (auto& [places, one] : found) {
    const auto longest =
        std::ranges::max_element(one.of_ranks_s, {}, [](const auto& rank) { return rank.second; });
    waits.push_back({places.first, places.second, longest->first, std::ssize(one.of_ranks_s),
                     union_s(one.since_until_s)});
  }
  std::ranges::stable_sort(waits, std::ranges::greater(), &PathWait::waited_s);
  return waits;
}

}  // namespace finegrain::replay
