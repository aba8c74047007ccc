// SPDX-License-Identifier: MIT
#include "traces/scaling/neighbour_rules.hpp"

#include <cstdlib>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "traces/scaling/number_rules.hpp"
#include "traces/scaling/peer_rules.hpp"

namespace finegrain::scaling {
namespace {

/// All directions in an order in which every list has its own; empty if there is none.
std::vector<Direction> order_of(std::span<const Visits> visits) {
  std::map<Direction, std::set<Direction>> before;
  for (const Visits& own : visits)
    for (std::size_t i = 0; i < own.directions.size(); ++i) {
      before[own.directions[i]];
      if (i > 0) before[own.directions[i]].insert(own.directions[i - 1]);
    }
  std::vector<Direction> order;
  while (!before.empty()) {
    auto next = before.begin();
    while (next != before.end() && !next->second.empty())
      ++next;
    if (next == before.end()) return {};
    order.push_back(next->first);
    before.erase(next);
    for (auto& one : before)
      one.second.erase(order.back());
  }
  return order;
}

StepOf step_of(std::size_t number, std::size_t of) {
  return {static_cast<std::int64_t>(number), static_cast<std::int64_t>(of)};
}

std::vector<Direction> directions_to(std::span<const NeighboursOf> lists) {
  std::vector<Visits> visits;
  for (const NeighboursOf& list : lists) {
    Visits& own = visits.emplace_back(Visits{list.where, {}});
    for (const Neighbour& neighbour : list.neighbours) {
      std::optional<Direction> steps = steps_to(*list.where, neighbour.rank);
      if (!steps) return {};
      own.directions.push_back(std::move(*steps));
    }
  }
  return directions_of(visits);
}

/// The number of a rule at a step; nothing if there is none, or rules disagree.
std::optional<std::int64_t> number_at(const std::vector<Rule>& rules, const Where& where) {
  const Answer found = answer(rules, where, true);
  return found.disagree ? std::nullopt : found.value;
}

}  // namespace

std::optional<Direction> steps_to(const Where& where, std::int64_t other) {
  if (other < 0 || other >= where.ranks()) return std::nullopt;
  const std::vector<int> place = where.grid().place_of(static_cast<int>(other));
  Direction steps;
  for (std::size_t d = 0; d < place.size(); ++d) {
    steps.push_back(place[d] - where.at->place[d]);
    const int farthest = place.size() == 1 ? 2 : 1;
    if (std::abs(steps.back()) > farthest) return std::nullopt;
  }
  return steps;
}

bool is_inside(const Where& where, const Direction& steps) {
  for (std::size_t d = 0; d < steps.size(); ++d) {
    const int along = where.at->place[d] + steps[d];
    if (along < 0 || along >= where.grid().sides()[d]) return false;
  }
  return true;
}

std::vector<Direction> directions_of(std::span<const Visits> visits) {
  bool differ = false;
  for (const Visits& own : visits)
    differ = differ || own.directions.size() != visits.front().directions.size();
  if (!differ) return {};
  std::vector<Direction> known = order_of(visits);
  for (const Visits& own : visits) {
    std::vector<Direction> expected;
    for (const Direction& direction : known)
      if (is_inside(*own.where, direction)) expected.push_back(direction);
    if (expected != own.directions) return {};
  }
  return known;
}

std::optional<NeighbourRules> neighbour_rules(std::span<const NeighboursOf> lists) {
  NeighbourRules rules;
  rules.directions = directions_to(lists);
  std::deque<Where> wheres;
  std::vector<Sample> counts;
  std::vector<Sample> peers;
  std::vector<Sample> bytes;
  for (const auto& [where, neighbours] : lists) {
    counts.push_back({where, static_cast<std::int64_t>(neighbours.size())});
    auto neighbour = neighbours.begin();
    const std::size_t steps = rules.directions.empty() ? neighbours.size() : rules.directions.size();
    for (std::size_t step = 0; step < steps; ++step) {
      if (!rules.directions.empty() && !is_inside(*where, rules.directions[step])) continue;
      const Where& at = wheres.emplace_back(where->in(step_of(step, steps)).towards(neighbour->rank));
      peers.push_back({&at, neighbour->rank});
      bytes.push_back({&at, neighbour->bytes});
      ++neighbour;
    }
  }
  if (rules.directions.empty()) {
    rules.count = count_rules(counts);
    if (rules.count.empty()) return std::nullopt;
    if (peers.empty()) return rules;
    rules.peer = peer_rules(peers);
    if (rules.peer.empty()) return std::nullopt;
  }
  rules.bytes = size_rules(bytes);
  if (rules.bytes.empty()) return std::nullopt;
  return rules;
}

std::optional<std::vector<Neighbour>> neighbours_at(const NeighbourRules& rules, const Where& where) {
  const std::optional<std::int64_t> count =
      rules.directions.empty() ? number_at(rules.count, where) : rules.directions.size();
  if (!count || (*count > 0 && rules.bytes.empty())) return std::nullopt;
  std::vector<Neighbour> neighbours;
  for (std::int64_t step = 0; step < *count; ++step) {
    const Where at = where.in({step, *count});
    std::optional<std::int64_t> rank;
    if (rules.directions.empty()) {
      rank = number_at(rules.peer, at);
      if (!rank) return std::nullopt;
    } else {
      const Direction& direction = rules.directions[static_cast<std::size_t>(step)];
      if (!is_inside(where, direction)) continue;
      rank = where.grid().neighbour(where.rank(), direction);
    }
    const std::optional<std::int64_t> bytes = number_at(rules.bytes, at.towards(*rank));
    if (!bytes) return std::nullopt;
    neighbours.push_back({*rank, *bytes});
  }
  return neighbours;
}

}  // namespace finegrain::scaling
