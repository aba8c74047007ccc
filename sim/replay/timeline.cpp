// SPDX-License-Identifier: MIT
#include "sim/replay/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "sim/replay/child_process.hpp"
#include "sim/replay/engine/flow_simulation.hpp"
#include "sim/replay/observers/critical_path.hpp"
#include "sim/replay/observers/link_uses.hpp"
#include "sim/replay/observers/spans.hpp"
#include "sim/replay/programs/compiler.hpp"
#include "sim/replay/programs/rank_rails.hpp"
#include "sim/replay/self_scheduling/assign_tasks.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {
// For bytes.hpp.
auto parts_of(LinkUse& link) {
  return std::tie(link.name, link.bandwidth_bytes_per_s, link.bytes, link.node, link.bytes_of_groups);
}
auto parts_of(Timeline& timeline) {
  return std::tie(timeline.makespan_s, timeline.phases, timeline.messages, timeline.critical_path,
                  timeline.path_links, timeline.links, timeline.regions);
}
auto parts_of(ProgramTimeline& timeline) {
  return std::tie(timeline.makespan_s, timeline.regions, timeline.spans, timeline.links,
                  timeline.critical_path);
}

namespace {

/// Every run of digits as one star.
std::string without_numbers(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit)
      text += c;
    else if (!text.ends_with('*'))
      text += '*';
  }
  return text;
}

/// Names that links share: those without their numbers. A link that is not as fast as most links of such a
/// name keeps its own.
class NamesOfLinks {
 public:
  NamesOfLinks(std::vector<std::string> names, const std::vector<double>& bandwidths)
      : names_(std::move(names)), bandwidths_(bandwidths) {
    for (std::size_t link = 0; link < names_.size(); ++link)
      ++links_[without_numbers(names_[link])][bandwidths_[link]];
  }

  std::string name(std::size_t link) const {
    std::string shared = without_numbers(names_[link]);
    std::size_t all = 0;
    for (const auto& [bandwidth, links] : links_.at(shared))
      all += links;
    return 2 * links_.at(shared).at(bandwidths_[link]) > all ? shared : names_[link];
  }

 private:
  std::vector<std::string> names_;
  const std::vector<double>& bandwidths_;
  std::map<std::string, std::map<double, std::size_t>> links_;  ///< how many, by shared name and bandwidth
};

/// The narrowest link of each message's route, the first of several.
void name_links(Timeline& timeline, LoadedPlatform& loaded, const problem::Placement& placement) {
  const std::vector<double>& bandwidths = loaded.link_bandwidths_bytes_per_s();
  const NamesOfLinks names(loaded.link_names(), bandwidths);
  const RankRails rails(loaded.rails(), placement);
  for (PathPiece& piece : timeline.critical_path) {
    if (piece.kind != PathPiece::Kind::transfer || placement.same_node(piece.rank, piece.peer)) continue;
    const auto [from, to] =
        piece.is_outgoing ? std::pair(piece.rank, piece.peer) : std::pair(piece.peer, piece.rank);
    const LoadedPlatform::Route& route =
        loaded.route(placement.node(from), placement.node(to), rails.of(from, to));
    const auto narrowest =
        std::ranges::min_element(route.shared_links, {}, [&](std::size_t link) { return bandwidths[link]; });
    const std::string name =
        narrowest == route.shared_links.end() ? "links not shared" : names.name(*narrowest);
    const auto known = std::ranges::find(timeline.path_links, name);
    piece.links = static_cast<std::int32_t>(known - timeline.path_links.begin());
    if (known == timeline.path_links.end()) timeline.path_links.push_back(name);
  }
}

/// @pre this process has not simulated before
Timeline simulate_timeline(const ReplayJob& job, ReplayOptions options) {
  options.repeat_tolerance = 0;
  LoadedPlatform loaded = load_platform(job);
  StepLog log(static_cast<std::size_t>(job.schedule->run.ranks),
              job.programs != nullptr ? StepLog::Of::program : StepLog::Of::schedule, most_logged_steps);
  LinkUses links(loaded);
  const std::array<Observer*, 2> observers = {&log, &links};
  const auto as_given = assign_tasks(loaded, job, options);
  ReplayResult result = simulate_flows(loaded, as_given ? as_given->job(job) : job, options, observers);
  Timeline timeline{.makespan_s = result.total_s,
                    .phases = phase_spans(log),
                    .messages = message_spans(log),
                    .critical_path = critical_path(log),
                    .path_links = {},
                    .links = links.crossed(),
                    .regions = std::move(result.regions)};
  name_links(timeline, loaded, placement_of(job));
  return timeline;
}

/// Regions of programs, as they end.
class RegionLog : public Observer {
 public:
  RegionLog(std::size_t ranks, double from_s, double until_s)
      : starts_s_(ranks, 0), from_s_(from_s), until_s_(until_s) {}

  void step_done(std::size_t rank, const Step& step, double now_s) override {
    if (step.kind != Step::Kind::end_region) return;
    const double start_s = std::exchange(starts_s_[rank], now_s);
    if (start_s < now_s && start_s < until_s_ && now_s > from_s_)
      spans_.push_back(
          {static_cast<std::int32_t>(rank), static_cast<std::int32_t>(step.region), start_s, now_s});
  }
  std::vector<RegionSpan> take() { return std::move(spans_); }

 private:
  std::vector<double> starts_s_;
  double from_s_;
  double until_s_;
  std::vector<RegionSpan> spans_;
};

void check_timeline(const platform::Platform& platform) {
  if (has_timeline(platform)) return;
  if (platform.changes_over_time)
    throw InputError(platform.file.string(),
                     "a <trace_connect> changes it during the run (timelines need one that stays as it is)",
                     "Leave it out");
  throw InputError(
      platform.file.string(),
      fmt::format("routing is {} (timelines and critical paths follow messages that start at once and "
                  "take equally long ways)",
                  platform.routing),
      "Leave it out");
}

}  // namespace

bool has_timeline(const platform::Platform& platform) {
  const std::string& routing = platform.routing;
  return !platform.changes_over_time && (routing.empty() || routing == "minimal" || routing == "spray");
}

ProgramTimeline replay_program_timeline(const ReplayJob& job, double from_s, double until_s,
                                        const ReplayOptions& options, WithPath path) {
  check_timeline(*job.platform);
  ReplayOptions in_full = options;
  in_full.repeat_tolerance = 0;
  ProgramTimeline timeline;
  forked<ProgramTimeline>(
      1, 1,
      [&](std::size_t /*index*/) {
        LoadedPlatform loaded = load_platform(job);
        RegionLog log(static_cast<std::size_t>(job.programs->ranks()), from_s, until_s);
        LinkUses links(loaded, job.groups.of_ranks);
        std::vector<Observer*> observers = {&log, &links};
        StepLog steps(static_cast<std::size_t>(job.programs->ranks()), StepLog::Of::program);
        if (path == WithPath::yes) observers.push_back(&steps);
        const auto as_given = assign_tasks(loaded, job, in_full);
        ReplayResult result = simulate_flows(loaded, as_given ? as_given->job(job) : job, in_full, observers);
        return ProgramTimeline{
            .makespan_s = result.total_s,
            .regions = std::move(result.regions),
            .spans = log.take(),
            .links = links.crossed(),
            .critical_path = path == WithPath::yes ? critical_path(steps) : std::vector<PathPiece>()};
      },
      [&](std::size_t /*index*/, ProgramTimeline simulated) { timeline = std::move(simulated); });
  return timeline;
}

Timeline replay_timeline(const Schedule& schedule, const platform::Platform& platform,
                         std::int64_t iterations, const ReplayOptions& options,
                         const problem::Placement* placement) {
  Schedule first = schedule;
  first.run.iterations = iterations;
  return replay_timeline({.schedule = &first, .platform = &platform, .placement = placement}, options);
}

Timeline replay_timeline(const ReplayJob& job, const ReplayOptions& options) {
  check_timeline(*job.platform);
  check(job, options);
  std::optional<Timeline> timeline;
  forked<Timeline>(
      1, 1, [&](std::size_t /*index*/) { return simulate_timeline(job, options); },
      [&](std::size_t /*index*/, Timeline simulated) { timeline = std::move(simulated); });
  return std::move(*timeline);
}

}  // namespace finegrain::replay
