// SPDX-License-Identifier: MIT
#include "sim/replay/self_scheduling/pieces.hpp"

#include <algorithm>
#include <utility>

namespace finegrain::replay {
namespace {

/// A body for each region of a call.
std::vector<std::shared_ptr<const Body>> regions_apart(const Body& body) {
  std::vector<std::shared_ptr<const Body>> bodies;
  for (const Region& region : body.regions) {
    Body one;
    one.begin_region(region.name);
    for (const Operation& operation : body.operations_of(region))
      one.add(operation);
    one.sizes = body.sizes;
    bodies.push_back(std::make_shared<const Body>(std::move(one)));
  }
  return bodies;
}

}  // namespace

std::vector<Piece> pieces_of(const CallSequence& sequence) {
  std::vector<std::vector<std::shared_ptr<const Body>>> apart;
  for (const auto& body : sequence.bodies)
    apart.push_back(regions_apart(*body));
  std::vector<Piece> pieces;
  auto seconds = sequence.seconds.begin();
  for (const std::uint32_t call : sequence.calls) {
    auto timed = sequence.timed_regions[call].begin();
    for (std::uint32_t region = 0; region < apart[call].size(); ++region) {
      const bool is_timed = timed != sequence.timed_regions[call].end() && *timed == region;
      pieces.push_back({apart[call][region], is_timed ? static_cast<double>(*seconds) : 0});
      if (!is_timed) continue;
      ++seconds;
      ++timed;
    }
  }
  return pieces;
}

bool only_completes(const Body& body) {
  return std::ranges::all_of(body.operations, [](const Operation& operation) {
    return std::holds_alternative<Complete>(operation);
  });
}

bool only_works(const Body& body) {
  return std::ranges::all_of(
      body.operations, [](const Operation& operation) { return std::holds_alternative<Work>(operation); });
}

std::shared_ptr<const Body> one_operation(RegionName name, const Operation& operation) {
  Body body;
  body.add_region(name, operation);
  return std::make_shared<const Body>(std::move(body));
}

void OpenRequests::add(const Operation& operation) {
  if (makes_request(operation)) open_.insert(++newest_);
  const auto* complete = std::get_if<Complete>(&operation);
  if (complete == nullptr) return;
  if (complete->is_all()) {
    open_.clear();
  } else {
    const std::int64_t first = newest_ + 1 - complete->oldest;
    open_.erase(open_.lower_bound(first), open_.lower_bound(first + complete->count));
  }
}

}  // namespace finegrain::replay
