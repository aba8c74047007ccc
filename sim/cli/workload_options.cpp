// SPDX-License-Identifier: MIT
#include "sim/cli/workload_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>

#include "sim/cli/help.hpp"
#include "sim/graph/placement_rule.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/policy/policy.hpp"
#include "sim/policy/variant.hpp"
#include "sim/study/axis_values.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {

namespace {

std::string lower_case(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

}  // namespace

bool is_by_socket(const std::string& text) {
  const std::string word = lower_case(text);
  return word == "socket" || word == "package";
}

bool is_by_node(const std::string& text) {
  return lower_case(text) == "node";
}

namespace {

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

/// Takes one of mpirun's words in place of a placement. @param knows_sockets  the command simulates them
/// @throws InputError if it has no meaning here
void map_by(const std::string& text, bool knows_sockets, WorkloadOptions& options) {
  const std::string word = lower_case(text);
  constexpr std::string_view ppr = "ppr:";
  constexpr std::string_view of_node = ":node";
  const bool is_socket = knows_sockets && is_by_socket(text);
  if (word == "core" || word == "slot" || word == "hwthread" || is_socket) {
    options.placement = "block";
  } else if (is_by_node(text)) {
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
          "mpirun's words for a placement: core or slot (block), node (cyclic, over all nodes of the "
          "hostfile or of the platform), ppr:N:node (N ranks on each "
          "node), socket (block, and the ranks of a node on its sockets by turns)")
      ->excludes("--placement");
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

}  // namespace finegrain::cli
