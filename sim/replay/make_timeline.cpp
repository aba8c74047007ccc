// SPDX-License-Identifier: MIT
#include "sim/replay/make_timeline.hpp"

#include <algorithm>
#include <utility>

#include "sim/replay/critical_path.hpp"
#include "sim/replay/matched_messages.hpp"

namespace finegrain {
namespace {

/// Of the links of the platform.
class LinkUses {
 public:
  explicit LinkUses(const Machine& machine) {
    for (std::string& name : machine.link_names())
      uses_.push_back({std::move(name), machine.link_bandwidths_bytes_per_s()[uses_.size()], 0, unknown});
  }

  void add(const Machine::Route& route, double bytes) {
    for (const std::size_t link : route.shared_links) {
      uses_[link].bytes += bytes;
      std::int32_t node = no_node;
      if (link == route.shared_links.back()) node = route.to;
      if (link == route.shared_links.front()) node = route.from;
      uses_[link].node = uses_[link].node == unknown || uses_[link].node == node ? node : no_node;
    }
  }

  std::vector<LinkUse> crossed() && {
    std::erase_if(uses_, [](const LinkUse& use) { return use.bytes == 0; });
    return std::move(uses_);
  }

 private:
  static constexpr std::int32_t no_node = -1;
  static constexpr std::int32_t unknown = -2;
  std::vector<LinkUse> uses_;
};

void add_rank(std::size_t rank, const RoutedPrograms& routed, const StepTimes& times, LinkUses& links,
              Timeline& timeline) {
  const RankProgram& program = routed.programs[rank];
  const std::vector<std::size_t> regions = regions_of_steps(program);
  const auto own = static_cast<std::int32_t>(rank);
  double before_s = 0;
  double region_start_s = 0;
  for (std::size_t number = 0; number < times.done_s[rank].size(); ++number) {
    const std::size_t place = number % program.steps.size();
    const Step& step = program.steps[place];
    const double done_s = times.done_s[rank][number];
    const auto one_sided = [&](bool is_put, double end_s) {
      links.add(*routed.routes[step.target], step.amount);
      timeline.messages.push_back(
          {is_put ? own : step.peer, is_put ? step.peer : own, step.amount, before_s, end_s});
    };
    switch (step.kind) {
      case Step::Kind::put:
      case Step::Kind::get:
        one_sided(step.kind == Step::Kind::put, done_s);
        break;
      case Step::Kind::start_put:
      case Step::Kind::start_get:
        one_sided(step.kind == Step::Kind::start_put, times.flow_end_s[rank][number] + step.latency_s);
        break;
      case Step::Kind::send:
        links.add(*routed.routes[routed.connections[step.target].route], step.amount);
        break;
      case Step::Kind::end_region:
        timeline.phases.push_back({own, static_cast<std::int32_t>(regions[place]),
                                   static_cast<std::int64_t>(number / program.steps.size()), region_start_s,
                                   done_s});
        region_start_s = done_s;
        break;
      default:
        break;
    }
    before_s = done_s;
  }
  timeline.makespan_s = std::max(timeline.makespan_s, before_s);
}

/// Sent and expected, in bytes as they were sent.
void add_two_sided(const RoutedPrograms& routed, const StepTimes& times, Timeline& timeline) {
  for (const MatchedMessage& message : matched_messages(routed, times)) {
    const auto& [rank, number] = message.sent;
    const std::vector<Step>& steps = routed.programs[rank].steps;
    timeline.messages.push_back(
        {static_cast<std::int32_t>(rank), static_cast<std::int32_t>(message.expected.rank),
         steps[number % steps.size()].amount, times.done_s[rank][number], message.arrival_s});
  }
}

}  // namespace

Timeline make_timeline(const RoutedPrograms& routed, const StepTimes& times, const Machine& machine) {
  Timeline timeline;
  LinkUses links(machine);
  for (std::size_t rank = 0; rank < routed.programs.size(); ++rank)
    add_rank(rank, routed, times, links, timeline);
  add_two_sided(routed, times, timeline);
  timeline.links = std::move(links).crossed();
  timeline.critical_path = critical_path(routed, times);
  return timeline;
}

}  // namespace finegrain
