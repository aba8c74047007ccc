// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "sim/platform/regular/wiring.hpp"

namespace finegrain::platform {
namespace {

struct Pair {
  std::size_t low;
  std::size_t high;
};

/// The pair at a place in the order {0, 1}, {0, 2}, ..., {1, 2}, ...
Pair pair_at(std::size_t place, std::size_t of) {
  std::size_t low = 0;
  for (; place >= of - 1 - low; ++low)
    place -= of - 1 - low;
  return {low, low + 1 + place};
}

}  // namespace

Dragonfly::Dragonfly(RegularCluster cluster, WiringParts parts) : Wiring(std::move(cluster), parts) {
  const auto first = [this](std::size_t part) {
    return static_cast<std::size_t>(this->cluster().parameters[part][0]);
  };
  groups_ = first(0);
  chassis_ = first(1);
  blades_ = first(2);
  hosts_of_switch_ = first(3);
  first_green_ = switches() * hosts_of_switch_;
  first_black_ = first_green_ + groups_ * chassis_ * pairs(blades_);
  first_blue_ = first_black_ + groups_ * pairs(chassis_) * blades_;
}

std::size_t Dragonfly::place_of_pair(std::size_t low, std::size_t high, std::size_t of) {
  return low * of - low * (low + 1) / 2 + high - low - 1;
}

Dragonfly::Switch Dragonfly::switch_of(std::size_t host) const {
  const std::size_t number = host / hosts_of_switch_;
  return {number / blades_ / chassis_, number / blades_ % chassis_, number % blades_};
}

std::size_t Dragonfly::number_of(const Switch& of) const {
  return (of.group * chassis_ + of.chassis) * blades_ + of.blade;
}

std::string Dragonfly::cable_name(std::size_t cable) const {
  const std::string name = cable >= first_blue_    ? blue_name(cable - first_blue_)
                           : cable >= first_black_ ? black_name(cable - first_black_)
                           : cable >= first_green_
                               ? green_name(cable - first_green_)
                               : fmt::format("local_link_from_router_{}_to_node_{}", cable / hosts_of_switch_,
                                             cable % hosts_of_switch_);
  return fmt::format("{}_{}", name, cable);
}

std::string Dragonfly::green_name(std::size_t number) const {
  const auto [low, high] = pair_at(number % pairs(blades_), blades_);
  return fmt::format("green_link_in_chassis_{}_between_routers_{}_and_{}", number / pairs(blades_) % chassis_,
                     low, high);
}

std::string Dragonfly::black_name(std::size_t number) const {
  const std::size_t blade = number % blades_;
  const std::size_t pair = number / blades_;
  const auto [low, high] = pair_at(pair % pairs(chassis_), chassis_);
  return fmt::format("black_link_in_group_{}_between_chassis_{}_and_{}_blade_{}", pair / pairs(chassis_), low,
                     high, blade);
}

std::string Dragonfly::blue_name(std::size_t number) const {
  const auto [low, high] = pair_at(number, groups_);
  return fmt::format("blue_link_between_group_{}_and_{}_routers_{}_and_{}", low, high,
                     number_of({low, 0, high}), number_of({high, 0, low}));
}

double Dragonfly::cables_in_one_of(std::size_t cable) const {
  const auto cables = [this](std::size_t part) { return static_cast<double>(cluster().parameters[part][1]); };
  if (cable < first_green_) return 1;
  return cables(cable < first_black_ ? 2 : cable < first_blue_ ? 1 : 0);
}

void Dragonfly::cross(std::size_t cable, bool is_up, Way& way) const {
  if (is_up)
    add_up(cable, way);
  else
    add_down(cable, way);
}

void Dragonfly::add_limiter(const Switch& of, Way& way) const {
  add_limiter_of_switch(number_of(of), way);
}

void Dragonfly::go_green(const Switch& from, std::size_t blade, Way& way) const {
  const std::size_t chassis = from.group * chassis_ + from.chassis;
  const bool is_up = from.blade < blade;
  const std::size_t pair =
      is_up ? place_of_pair(from.blade, blade, blades_) : place_of_pair(blade, from.blade, blades_);
  cross(first_green_ + chassis * pairs(blades_) + pair, is_up, way);
}

void Dragonfly::go_black(const Switch& from, std::size_t chassis, Way& way) const {
  const bool is_up = from.chassis < chassis;
  const std::size_t pair =
      is_up ? place_of_pair(from.chassis, chassis, chassis_) : place_of_pair(chassis, from.chassis, chassis_);
  cross(first_black_ + (from.group * pairs(chassis_) + pair) * blades_ + from.blade, is_up, way);
}

void Dragonfly::go_blue(const Switch& from, std::size_t group, Way& way) const {
  const bool is_up = from.group < group;
  cross(first_blue_ +
            (is_up ? place_of_pair(from.group, group, groups_) : place_of_pair(group, from.group, groups_)),
        is_up, way);
}

Dragonfly::Switch Dragonfly::go_to_group(Switch at, std::size_t group, Way& way) const {
  const std::size_t from_group = at.group;
  if (at.blade != group) {
    add_limiter(at, way);
    go_green(at, group, way);
    at.blade = group;
  }
  if (at.chassis != 0) {
    add_limiter(at, way);
    go_black(at, 0, way);
    at.chassis = 0;
  }
  go_blue(at, group, way);
  add_limiter(at, way);
  return {group, 0, from_group};
}

void Dragonfly::go_within_group(Switch at, const Switch& target, Way& way) const {
  if (at.blade != target.blade) {
    add_limiter(at, way);
    go_green(at, target.blade, way);
    // SimGrid goes on from the first chassis, also where the message is in another one.
    at = {target.group, 0, target.blade};
  }
  if (at.chassis != target.chassis) {
    add_limiter(at, way);
    go_black(at, target.chassis, way);
  }
}

void Dragonfly::add_way(std::size_t from, std::size_t to, Way& way) const {
  Switch at = switch_of(from);
  const Switch target = switch_of(to);
  add_limiter_of_host(from, way);
  add_up(from, way);
  if (at.group != target.group) at = go_to_group(at, target.group, way);
  if (number_of(switch_of(from)) != number_of(target)) go_within_group(at, target, way);
  add_limiter(target, way);
  add_down(to, way);
  add_limiter_of_host(to, way);
}

std::vector<std::vector<std::size_t>> Dragonfly::detours(std::size_t from, std::size_t to) const {
  const Switch source = switch_of(from);
  const Switch target = switch_of(to);
  std::vector<Way> ways;
  for (std::size_t group = 0; source.group != target.group && group < groups_; ++group) {
    if (group == source.group || group == target.group) continue;
    Way& way = ways.emplace_back();
    add_limiter_of_host(from, way);
    add_up(from, way);
    const Switch between = go_to_group(source, group, way);
    go_within_group(go_to_group(between, target.group, way), target, way);
    add_limiter(target, way);
    add_down(to, way);
    add_limiter_of_host(to, way);
  }
  return ways;
}

}  // namespace finegrain::platform
