// SPDX-License-Identifier: MIT
#include "sim/cli/workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "kernels/problem/uneven_placement.hpp"
#include "sim/cli/progress.hpp"
#include "sim/pattern/on_threads.hpp"
#include "sim/platform/platform_facts.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/memory.hpp"
#include "sim/policy/variant.hpp"
#include "sim/replay/platform_summary.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

/// As many as fit on a node of the platform; all, where there is none, or it does not say its cores.
int default_ranks_per_node(const WorkloadOptions& options, int ranks, const platform::Platform* platform) {
  if (platform == nullptr) return ranks;
  const platform::PlatformFacts facts = platform::platform_facts(platform->file);
  return std::min(ranks, ranks_that_fit(facts, options.threads_per_rank).value_or(ranks));
}

/// @param platform  may be null
Run run_of(const WorkloadOptions& options, const Problem& problem, int ranks,
           const platform::Platform* platform) {
  policy::Variant variant = variant_of(options.variant, pattern::pattern_kind(problem.pattern));
  variant.settings = policy_settings_of(options.settings, variant.policy);
  return {.problem = problem,
          .policy = variant.policy,
          .policy_settings = variant.settings,
          .transfer = variant.transfer,
          .completion = variant.completion,
          .ranks = ranks,
          .ranks_per_node = options.ranks_per_node ? *options.ranks_per_node
                                                   : default_ranks_per_node(options, ranks, platform),
          .threads_per_rank = options.threads_per_rank,
          .iterations = options.iterations};
}

/// The problem that a flag names, opened once.
std::shared_ptr<const pattern::Pattern> open_pattern(const std::string& flag, const std::string& text) {
  static std::map<std::pair<std::string, std::string>, std::shared_ptr<const pattern::Pattern>> opened;
  std::shared_ptr<const pattern::Pattern>& known = opened[{flag, text}];
  if (!known) known = pattern::pattern_of_flag(flag)->open(text, "--" + flag);
  return known;
}

/// "--matrix, or --heat"
std::string pattern_flags() {
  std::vector<std::string> flags;
  for (const pattern::PatternKind* kind : pattern::pattern_kinds())
    flags.push_back("--" + kind->flag());
  return fmt::format("{}", fmt::join(flags, ", or "));
}

/// Whether ranks go to the same nodes in both.
bool is_same_room(graph::PlacementRule rule, int ranks, const problem::Room& a, const problem::Room& b) {
  if (a == b) return true;
  return a.deals_to_all && b.deals_to_all && rule == graph::PlacementRule::cyclic &&
         are_on_same_nodes(placement_by(rule, ranks, a), placement_by(rule, ranks, b));
}

}  // namespace

void open_patterns(const WorkloadOptions& options) {
  for (const auto& [flag, text] : options.problems)
    if (!text.empty()) open_pattern(flag, text);
}

std::shared_ptr<const pattern::Pattern> pattern_of_trace(const std::map<std::string, std::string>& problems,
                                                         const Run& run, const std::string& trace) {
  const pattern::PatternKind& kind = pattern::pattern_kind(run);
  std::string own;
  for (const auto& [flag, text] : problems) {
    if (text.empty()) continue;
    if (flag != kind.flag())
      throw InputError(fmt::format("--{}", flag),
                       fmt::format("{} is of {}, which has none", trace, kind.name()), "Leave it out");
    own = text;
  }
  return kind.open_recorded(run, own, trace);
}

std::vector<std::string> notes_of(const std::shared_ptr<const pattern::Pattern>& pattern,
                                  const WorkloadOptions& options) {
  std::vector<std::string> notes;
  if (pattern) notes = pattern->notes();
  std::ranges::move(placement_notes(options), std::back_inserter(notes));
  return notes;
}

std::vector<pattern::RankCounts> counts_of(const std::shared_ptr<const pattern::Pattern>& pattern,
                                           const Run& run, const problem::Placement& placement) {
  if (!pattern) return {};
  return std::move(policy::counts_of(*pattern, {&run, 1}, {&placement, 1}, pattern::all_cores()).front());
}

Workload::Workload(const WorkloadOptions& options, std::span<const platform::Platform> platforms)
    : placement_rule_(placement_rule(options)), hops_of_(hops_on(platforms)) {
  const auto given =
      std::ranges::find_if(options.problems, [](const auto& one) { return !one.second.empty(); });
  if (given == options.problems.end()) throw InputError(pattern_flags(), "nothing to run", "Give one");
  const pattern::PatternKind& kind = *pattern::pattern_of_flag(given->first);
  pattern_ = open_pattern(given->first, given->second);
  name_ = pattern_->title();
  notes_ = notes_of(pattern_, options);
  const Settings settings = settings_of(options.settings, kind);
  std::vector<int> all_ranks = options.ranks;
  if (const std::optional<int> asked = pattern_->ranks(settings)) {
    if (!all_ranks.empty() && all_ranks != std::vector{*asked})
      throw InputError("--ranks", fmt::format("the other flags ask for {}", format_count(*asked, "rank")),
                       "Leave --ranks out");
    all_ranks = {*asked};
  }
  if (all_ranks.empty())
    throw InputError("--ranks", "how many ranks? Give one number or several, e.g. 16,32,64");
  for (const int ranks : all_ranks) {
    const Problem problem = pattern_->problem(ranks, settings);
    const std::size_t first = runs_.size();
    if (platforms.empty()) add(run_of(options, problem, ranks, nullptr), {});
    for (std::size_t platform = 0; platform < platforms.size(); ++platform) {
      Run run = run_of(options, problem, ranks, &platforms[platform]);
      problem::Room room;
      if (!options.ranks_per_node) room = graph::room_on(platforms[platform], options.threads_per_rank);
      if (!room.empty()) run.ranks_per_node = graph::fill(placement_rule_, ranks, room).ranks_per_node;
      std::size_t same = first;
      while (same < runs_.size() && runs_[same].ranks_per_node != run.ranks_per_node)
        ++same;
      if (same < runs_.size() && !is_same_room(placement_rule_, ranks, rooms_[same], room))
        throw InputError("--platform",
                         fmt::format("{} holds as many ranks on a node as another one, but its nodes have "
                                     "different numbers of cores",
                                     platforms[platform].name),
                         "Ask for one after the other, or give --ranks-per-node");
      on_platforms_.push_back({same, platform});
      if (same == runs_.size()) add(std::move(run), std::move(room));
    }
  }
}

void Workload::add(Run run, problem::Room room) {
  blocks_.push_back(room.empty() ? problem::Placement(run.ranks, run.ranks_per_node)
                                 : problem::filled_placement(run.ranks, room));
  rooms_.push_back(std::move(room));
  runs_.push_back(std::move(run));
}

std::vector<RunOnPlatform> Workload::by_platforms() const {
  std::vector<RunOnPlatform> sorted = on_platforms_;
  std::ranges::stable_sort(sorted, {}, &RunOnPlatform::platform);
  return sorted;
}

problem::Room Workload::uneven_room(const Run& run) const {
  const auto same = std::ranges::find_if(runs_, [&](const Run& one) {
    return one.ranks == run.ranks && one.ranks_per_node == run.ranks_per_node;
  });
  const auto place = static_cast<std::size_t>(same - runs_.begin());
  return rooms_[place].empty() ? problem::Room{}
                               : graph::fill(placement_rule_, run.ranks, rooms_[place]).room;
}

problem::Placement Workload::place_unevenly(const Run& run, const problem::Room& room) const {
  if (policy::policy(run).looks_at_nodes())
    throw InputError("--policy",
                     fmt::format("{} takes nodes that hold equally many ranks (the platform's nodes have "
                                 "different numbers of cores)",
                                 run.policy),
                     "Give --ranks-per-node");
  return placement_by(placement_rule_, run.ranks, room);
}

Schedule Workload::schedule(const Run& run, std::span<const pattern::RankCounts> counts) const {
  const Progress progress(fmt::format("making the programs of {}", format_count(run.ranks, "rank")));
  Schedule schedule = policy::make_schedule(*pattern_, run, counts);
  progress.clear();
  return schedule;
}

std::vector<std::vector<pattern::RankCounts>> Workload::counts() const {
  // A process that answers several questions has often counted for one what the next needs.
  struct Counted {
    std::shared_ptr<const pattern::Pattern> pattern;
    std::vector<Run> runs;
    std::vector<problem::Placement> blocks;
    std::vector<std::vector<pattern::RankCounts>> counts;
  };
  static Counted last;
  std::vector<Run> runs = runs_;
  for (Run& run : runs)
    run.iterations = 1;  // counts are of one
  if (last.pattern != pattern_ || last.runs != runs || last.blocks != blocks_)
    last = {pattern_, runs, blocks_, policy::counts_of(*pattern_, runs_, blocks_, pattern::all_cores())};
  return last.counts;
}

problem::Placement Workload::place(const Run& run, std::vector<pattern::RankCounts>& counts) const {
  const problem::Placement placement = with_progress(placement_rule_, run.ranks, [&] {
    if (const problem::Room room = uneven_room(run); !room.empty()) return place_unevenly(run, room);
    return placement_by(
        placement_rule_, run.ranks, run.ranks_per_node,
        [&] { return counts.empty() ? graph::rank_graph(schedule(run)) : graph::rank_graph(run, counts); },
        hops_of_);
  });
  if (placement_rule_ != graph::PlacementRule::block && !counts.empty())
    finegrain::pattern::place(counts, placement);
  return placement;
}

problem::Placement Workload::placement(const Schedule& schedule) const {
  return with_progress(placement_rule_, schedule.run.ranks, [&] {
    const problem::Room room = uneven_room(schedule.run);
    return room.empty() ? placement_by(placement_rule_, schedule, hops_of_)
                        : place_unevenly(schedule.run, room);
  });
}

graph::PlacementRule placement_rule(const WorkloadOptions& options) {
  return graph::parse_placement_rule(options.placement, "--placement");
}

graph::HopsOf hops_on(std::span<const platform::Platform> platforms) {
  if (platforms.size() != 1) return {};
  return [file = platforms.front().file](int nodes) { return replay::hops_between_nodes(file, nodes); };
}

problem::Placement with_progress(graph::PlacementRule rule, int ranks,
                                 const std::function<problem::Placement()>& place) {
  if (!looks_at_routes(rule)) return place();
  const Progress progress(fmt::format("placing {} by the platform's routes", format_count(ranks, "rank")));
  problem::Placement placement = place();
  progress.clear();
  return placement;
}

std::optional<problem::Placement> listed_placement(std::span<const platform::Platform> platforms,
                                                   const WorkloadOptions& options, Run& run) {
  if (!platforms.front().listed || options.ranks_per_node) return std::nullopt;
  const problem::Room room = graph::room_on(platforms.front(), run.threads_per_rank);
  for (const platform::Platform& platform : platforms)
    if (graph::room_on(platform, run.threads_per_rank) != room)
      throw InputError("--platform",
                       fmt::format("nodes of {} have other numbers of cores than those of {}", platform.name,
                                   platforms.front().name),
                       "Give each host its slots in the hostfile, or one platform");
  if (room.empty()) return std::nullopt;
  const graph::PlacementRule rule = placement_rule(options);
  const problem::Placement block = problem::filled_placement(run.ranks, room);
  run.ranks_per_node = block.most_ranks_on_a_node();
  if (looks_at_messages(rule) && are_on_same_nodes(block, {run.ranks, run.ranks_per_node}))
    return std::nullopt;
  problem::Placement placement = placement_by(rule, run.ranks, room);
  run.ranks_per_node = placement.most_ranks_on_a_node();
  return placement;
}

problem::Placement placement_on(std::span<const platform::Platform> platforms, graph::PlacementRule rule,
                                const Schedule& schedule) {
  return with_progress(rule, schedule.run.ranks,
                       [&] { return placement_by(rule, schedule, hops_on(platforms)); });
}

std::vector<std::string> placement_notes(const WorkloadOptions& options) {
  if (placement_rule(options) == graph::PlacementRule::block) return {};
  return {fmt::format("Ranks on nodes: {}.", options.placement)};
}

void check_cores(const Workload& workload, std::span<const platform::Platform> platforms,
                 const PlatformOptions& options) {
  for (const auto& [run, platform] : workload.by_platforms())
    check_cores({&workload.runs()[run], 1}, platforms.subspan(platform, 1), options,
                {&workload.blocks()[run], 1});
}

std::vector<std::string> oversubscription_notes(const Workload& workload,
                                                std::span<const platform::Platform> platforms) {
  std::vector<std::string> notes;
  for (const auto& [run, platform] : workload.by_platforms())
    for (std::string& note : oversubscription_notes(
             {&workload.runs()[run], 1}, platforms.subspan(platform, 1), {&workload.blocks()[run], 1}))
      if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  return notes;
}

std::vector<std::string> derived_notes(const Workload& workload, const PlatformOptions& options) {
  std::vector<std::string> notes;
  for (const auto& [run, platform] : workload.by_platforms()) {
    PlatformOptions one = options;
    one.files = {options.files[platform]};
    for (std::string& note : derived_notes({&workload.runs()[run], 1}, one))
      if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

void warn_of_memory(const Run& run, std::span<const pattern::RankCounts> counts,
                    const problem::Placement& placement, const platform::Platform& platform) {
  const std::string too_little = policy::too_little_memory(run, counts, placement, platform);
  if (!too_little.empty()) spdlog::warn("{}", too_little);
}

}  // namespace finegrain::cli
