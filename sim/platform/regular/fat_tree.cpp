// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "sim/platform/regular/wiring.hpp"

namespace finegrain::platform {
namespace {

std::vector<std::size_t> counts_of(const std::vector<std::int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

}  // namespace

FatTree::FatTree(RegularCluster cluster, WiringParts parts)
    : Wiring(std::move(cluster), parts),
      levels_(static_cast<std::size_t>(this->cluster().parameters[0][0])),
      children_(counts_of(this->cluster().parameters[1])),
      parents_(counts_of(this->cluster().parameters[2])),
      ports_(counts_of(this->cluster().parameters[3])),
      first_nodes_(1, 0),
      first_cables_(1, 0) {
  for (std::size_t level = 0; level <= levels_; ++level) {
    std::size_t nodes = 1;
    for (std::size_t digit = 0; digit < levels_; ++digit)
      nodes *= values(digit, level);
    first_nodes_.push_back(first_nodes_.back() + nodes);
    if (level < levels_)
      first_cables_.push_back(first_cables_.back() + nodes * parents_[level] * ports_[level]);
  }
}

std::size_t FatTree::values(std::size_t digit, std::size_t level) const {
  return digit < level ? parents_[digit] : children_[digit];
}

FatTree::Digits FatTree::digits_of(std::size_t position, std::size_t level) const {
  Digits digits(levels_);
  for (std::size_t digit = 0; digit < levels_; ++digit) {
    digits[digit] = position % values(digit, level);
    position /= values(digit, level);
  }
  return digits;
}

std::size_t FatTree::position_of(const Digits& digits, std::size_t level) const {
  std::size_t position = 0;
  for (std::size_t digit = levels_; digit-- > 0;)
    position = position * values(digit, level) + digits[digit];
  return position;
}

std::size_t FatTree::cable(const Digits& digits, std::size_t level, std::size_t parent,
                           std::size_t port) const {
  return first_cables_[level] + (position_of(digits, level) * parents_[level] + parent) * ports_[level] +
         port;
}

int FatTree::number_of(std::size_t node) const {
  if (node < hosts()) return static_cast<int>(node);
  return static_cast<int>(2 * static_cast<std::int64_t>(hosts()) - 1 -
                          static_cast<std::int64_t>(node - hosts()));
}

std::string FatTree::cable_name(std::size_t cable) const {
  const auto above = std::ranges::upper_bound(first_cables_, cable);
  const auto level = static_cast<std::size_t>(above - first_cables_.begin()) - 1;
  const std::size_t place = (cable - first_cables_[level]) / ports_[level];
  const std::size_t position = place / parents_[level];
  Digits digits = digits_of(position, level);
  digits[level] = place % parents_[level];
  const std::size_t parent = position_of(digits, level + 1);
  return fmt::format("link_from_{}_{}_{}", number_of(first_nodes_[level] + position),
                     number_of(first_nodes_[level + 1] + parent), cable);
}

std::size_t FatTree::limiter_number(std::size_t limiter) const {
  return static_cast<std::size_t>(number_of(limiter));
}

void FatTree::add_limiter(const Digits& digits, std::size_t level, Way& way) const {
  if (parts().has_limiters) add_limiter_of_host(first_nodes_[level] + position_of(digits, level), way);
}

std::size_t FatTree::level_above(const Digits& from, const Digits& to) const {
  std::size_t level = levels_;
  while (level > 1 && from[level - 1] == to[level - 1])
    --level;
  return level;
}

void FatTree::add_way(std::size_t from, std::size_t to, Way& way) const {
  add_shifted_way(from, to, Digits(levels_, 0), way);
}

std::vector<std::vector<std::size_t>> FatTree::shortest_ways(std::size_t from, std::size_t to) const {
  if (from == to) return {way(from, to)};
  const std::size_t top = level_above(digits_of(from, 0), digits_of(to, 0));
  std::size_t all = 1;
  std::size_t equal = 1;  // so many ways use the uplinks of the lowest levels equally
  for (std::size_t level = 0; level < top; ++level) {
    all *= parents_[level] * ports_[level];
    if (all <= most_ways || equal == 1) equal = all;
  }
  std::vector<Way> ways(all <= most_ways || equal > most_ways ? equal : most_ways / equal * equal);
  for (std::size_t number = 0; number < ways.size(); ++number) {
    // Each uplink is a digit of the number, shifted by the digits below: the first ways already use all
    // cables of a level.
    Digits shifts(levels_, 0);
    std::size_t below = 1;  // values of the digits below
    for (std::size_t level = 0; level < top; ++level) {
      const std::size_t uplinks = parents_[level] * ports_[level];
      shifts[level] = (number / below + number % below) % uplinks;
      below *= uplinks;
    }
    add_shifted_way(from, to, shifts, ways[number]);
  }
  return ways;
}

void FatTree::add_shifted_way(std::size_t from, std::size_t to, const Digits& shifts, Way& way) const {
  const Digits target = digits_of(to, 0);
  Digits at = digits_of(from, 0);
  const std::size_t top = level_above(at, target);
  std::size_t level = 0;
  std::size_t upwards = to;  // to / (product of the parents below): destination modulo k
  while (level < top) {
    const std::size_t uplink = (upwards + shifts[level]) % (parents_[level] * ports_[level]);
    const std::size_t parent = uplink % parents_[level];
    add_limiter(at, level, way);
    add_up(cable(at, level, parent, uplink / parents_[level]), way);
    upwards /= parents_[level];
    at[level++] = parent;
  }
  while (level > 0) {
    // SimGrid looks for the first of several cables that the source may take, and goes on from there on the
    // levels below.
    const std::size_t port = (from + shifts[level - 1] / parents_[level - 1]) % ports_[level - 1];
    for (std::size_t downlink = port * children_[level - 1];
         level > 0 && downlink < children_[level - 1] * ports_[level - 1]; ++downlink) {
      const std::size_t below = level - 1;
      if (downlink % children_[below] != target[below]) continue;
      Digits child = at;
      child[below] = target[below];
      add_down(cable(child, below, at[below], downlink / children_[below]), way);
      add_limiter(at, level, way);
      at = std::move(child);
      level = below;
    }
  }
  add_limiter(at, 0, way);
}

}  // namespace finegrain::platform
