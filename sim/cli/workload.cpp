// SPDX-License-Identifier: MIT
#include "sim/cli/workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "kernels/problem/uneven_placement.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/progress.hpp"
#include "sim/pattern/on_threads.hpp"
#include "sim/platform/platform_facts.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/memory.hpp"
#include "sim/policy/variant.hpp"
#include "sim/replay/platform_summary.hpp"
#include "sim/study/axis_values.hpp"
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

/// @param own  the parameters of `whose`. @param others  those of which nothing is said here
Settings settings_of(const std::map<std::string, std::string>& texts,
                     const std::vector<pattern::Parameter>& own,
                     const std::vector<pattern::Parameter>& others, const std::string& whose) {
  Settings settings;
  for (const auto& [name, text] : texts) {
    if (text.empty() || std::ranges::find(others, name, &pattern::Parameter::name) != others.end()) continue;
    const auto parameter = std::ranges::find(own, name, &pattern::Parameter::name);
    if (parameter == own.end())
      throw InputError(fmt::format("--{}", name), fmt::format("{} has no such setting", whose),
                       "Leave it out");
    settings[name] = parse_value(*parameter, text, "--" + name);
  }
  return settings;
}

/// The problem that a flag names, opened once.
std::shared_ptr<const pattern::Pattern> open_pattern(const std::string& flag, const std::string& text) {
  static std::map<std::pair<std::string, std::string>, std::shared_ptr<const pattern::Pattern>> opened;
  std::shared_ptr<const pattern::Pattern>& known = opened[{flag, text}];
  if (!known) known = pattern::pattern_of_flag(flag)->open(text, "--" + flag);
  return known;
}

}  // namespace

bool is_by_socket(const std::string& text) {
  std::string word = text;
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word == "socket" || word == "package";
}

namespace {

/// Takes one of mpirun's words in place of a placement. @param knows_sockets  the command simulates them
/// @throws InputError if it has no meaning here
void map_by(const std::string& text, bool knows_sockets, WorkloadOptions& options) {
  std::string word = text;
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::string_view ppr = "ppr:";
  constexpr std::string_view of_node = ":node";
  const bool is_socket = knows_sockets && is_by_socket(text);
  if (word == "core" || word == "slot" || word == "hwthread" || is_socket) {
    options.placement = "block";
  } else if (word == "node") {
    options.placement = "cyclic";
  } else if (word.starts_with(ppr) && word.ends_with(of_node) && word.size() > ppr.size() + of_node.size()) {
    const std::string count = word.substr(ppr.size(), word.size() - ppr.size() - of_node.size());
    int ranks = 0;
    const auto read = std::from_chars(count.data(), count.data() + count.size(), ranks);
    if (read.ec != std::errc() || read.ptr != count.data() + count.size() || ranks < 1)
      throw InputError("--map-by", fmt::format("'{}' in '{}' is not a number of ranks", count, text),
                       "Write it like ppr:16:node");
    if (options.ranks_per_node && *options.ranks_per_node != ranks)
      throw InputError("--map-by", fmt::format("{}, and --ranks-per-node {}", text, *options.ranks_per_node),
                       "Leave one of them out");
    options.ranks_per_node = ranks;
  } else {
    throw InputError("--map-by",
                     fmt::format("'{}' is none of core, slot, node{} and ppr:N:node{}", text,
                                 knows_sockets ? ", socket" : "",
                                 knows_sockets ? "" : " (this command does not know sockets)"),
                     "Give one of these; --threads says how many cores a rank has");
  }
}

/// Adds --map-by, in place of --placement. @pre the command has that
void add_map_by(CLI::App& command, WorkloadOptions& options) {
  command
      .add_option_function<std::string>(
          "--map-by",
          [&options, &command](const std::string& text) {
            map_by(text, command.get_option_no_throw("--ranks-per-socket") != nullptr, options);
          },
          "mpirun's words for a placement: core or slot (block), node (cyclic), ppr:N:node (N ranks on each "
          "node), socket (block, and the ranks of a node on its sockets by turns)")
      ->excludes("--placement");
}

/// "--matrix, or --heat"
std::string pattern_flags() {
  std::vector<std::string> flags;
  for (const pattern::PatternKind* kind : pattern::pattern_kinds())
    flags.push_back("--" + kind->flag());
  return fmt::format("{}", fmt::join(flags, ", or "));
}

}  // namespace

CLI::Range at_least_one() {
  return {1, 1'000'000'000};
}

CLI::Validator number_between(double least, double most) {
  return {[least, most](const std::string& text) {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most)
              return std::string();
            return fmt::format("{} is not a number between {} and {}", text, least, most);
          },
          fmt::format("NUMBER in [{} - {}]", least, most)};
}

void add_workload_options(CLI::App& command, WorkloadOptions& options) {
  std::vector<CLI::Option*> problems;
  for (const pattern::PatternKind* kind : pattern::pattern_kinds()) {
    CLI::Option* option =
        command.add_option("--" + kind->flag(), options.problems[kind->flag()], kind->flag_help());
    for (CLI::Option* other : problems)
      option->excludes(other);
    problems.push_back(option);
  }
  add_variant_options(command, options.variant);
  for (const pattern::Parameter& parameter : policy::all_parameters())
    command.add_option("--" + parameter.name, options.settings[parameter.name], parameter.help);
  add_numbers(command, "--ranks", options.ranks,
              "Numbers of ranks, e.g. 16,32,64 or 2..8 or \"powers of two 16..1024\"");
  command.add_option("--ranks-per-node", options.ranks_per_node,
                     "Ranks on each node. Default: as many as a node of the platform has cores for (see "
                     "--threads), on each node its own number; without a platform, all on one node");
  command
      .add_option("--placement", options.placement,
                  fmt::format("How ranks are placed on nodes: {}", graph::placement_help()))
      ->check(one_of(graph::placement_names()))
      ->capture_default_str();
  add_map_by(command, options);
  command.add_option("--threads", options.threads_per_rank, "OpenMP threads a rank")
      ->check(at_least_one())
      ->capture_default_str();
}

void open_patterns(const WorkloadOptions& options) {
  for (const auto& [flag, text] : options.problems)
    if (!text.empty()) open_pattern(flag, text);
}

void exclude_run_options(CLI::App& command, CLI::Option& trace, bool keeps_files) {
  std::vector<std::string> flags{"policy", "transfer", "completion", "threads"};
  for (const pattern::PatternKind* kind : pattern::pattern_kinds())
    if (!keeps_files || !kind->is_file()) flags.push_back(kind->flag());
  for (const pattern::Parameter& parameter : policy::all_parameters())
    flags.push_back(parameter.name);
  for (const std::string& flag : flags)
    trace.excludes(command.get_option("--" + flag));
}

Settings settings_of(const std::map<std::string, std::string>& texts, const pattern::PatternKind& kind) {
  return settings_of(texts, kind.parameters(), policy::policy_parameters(), kind.name());
}

Settings policy_settings_of(const std::map<std::string, std::string>& texts, const std::string& policy) {
  const Settings given = settings_of(texts, policy::policy(policy).parameters(),
                                     pattern::pattern_parameters(), "policy " + policy);
  return policy::settings_of(Run{.problem = {}, .policy = policy, .policy_settings = given});
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
      if (!room.empty()) run.ranks_per_node = problem::filled_placement(ranks, room).most_ranks_on_a_node();
      std::size_t same = first;
      while (same < runs_.size() && runs_[same].ranks_per_node != run.ranks_per_node)
        ++same;
      if (same < runs_.size() && rooms_[same] != room)
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
  if (rooms_[place].deals_to_all && placement_rule_ == graph::PlacementRule::cyclic) return rooms_[place];
  if (are_on_same_nodes(blocks_[place], problem::Placement(run.ranks, run.ranks_per_node))) return {};
  return rooms_[place];
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

CLI::Option* add_numbers(CLI::App& command, const std::string& flag, std::vector<int>& numbers,
                         const std::string& help) {
  const auto read = [&numbers, flag](const std::vector<std::string>& texts) {
    numbers.clear();
    for (const std::string& text : texts)
      for (const std::int64_t number : study::parse_numbers(text, flag)) {
        if (number > std::numeric_limits<int>::max())
          throw InputError(flag, fmt::format("{} is too many", number), "Give fewer");
        numbers.push_back(static_cast<int>(number));
      }
  };
  return command.add_option_function<std::vector<std::string>>(flag, read, help)->delimiter(',');
}

void add_one_flow_per_message(CLI::App& command, replay::ReplayOptions& options) {
  command.add_flag("--one-flow-per-message", options.one_flow_per_message,
                   "Simulate each message as a SimGrid flow of its own. This is the reference; it is slow "
                   "where many messages are on their way at once (docs/platforms.md)");
}

void add_force(CLI::App& command, bool& force) {
  command.add_flag("--force", force, "Replace a file that finegrain did not write");
}

std::vector<std::filesystem::path> input_files(const WorkloadOptions& workload,
                                               const PlatformOptions& platforms,
                                               const std::vector<std::string>& traces) {
  std::vector<std::filesystem::path> files(platforms.files.begin(), platforms.files.end());
  files.insert(files.end(), traces.begin(), traces.end());
  files.insert(files.end(), platforms.host_files.begin(), platforms.host_files.end());
  for (const auto& [flag, text] : workload.problems)
    if (!text.empty() && pattern::pattern_of_flag(flag)->is_file()) files.emplace_back(text);
  return files;
}

void warn_of_memory(const Run& run, std::span<const pattern::RankCounts> counts,
                    const problem::Placement& placement, const platform::Platform& platform) {
  const std::string too_little = policy::too_little_memory(run, counts, placement, platform);
  if (!too_little.empty()) spdlog::warn("{}", too_little);
}

}  // namespace finegrain::cli
