// SPDX-License-Identifier: MIT
#include "python/workload.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "sim/policy/policy.hpp"
#include "sim/policy/variant.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::python {
namespace {

/// Takes an option away. Empty: it was not given.
std::string taken(Options& options, const std::string& name) {
  const auto found = options.find(name);
  if (found == options.end()) return {};
  std::string text = found->second;
  options.erase(found);
  return text;
}

/// A count of 1 or more.
int count_of(const std::string& text, const std::string& flag) {
  const pattern::Parameter whole_number{.name = flag, .label = {}, .help = {}};
  const std::int64_t number = std::get<std::int64_t>(parse_value(whole_number, text, flag));
  if (number < 1) throw InputError(flag, fmt::format("{} is too few", number), "Give 1 or more");
  if (number > problem::most_ranks)
    throw InputError(flag, fmt::format("{} is too many", number), "Give fewer");
  return static_cast<int>(number);
}

/// The settings among the options. @throws InputError if one is no value of its parameter
Settings settings_of(Options& options, const std::vector<pattern::Parameter>& parameters) {
  Settings settings;
  for (const pattern::Parameter& parameter : parameters)
    if (const std::string text = taken(options, parameter.name); !text.empty())
      settings[parameter.name] = parse_value(parameter, text, "--" + parameter.name);
  return settings;
}

const pattern::PatternKind& kind_of(const Options& options) {
  const pattern::PatternKind* kind = nullptr;
  std::string flags;
  for (const pattern::PatternKind* one : pattern::pattern_kinds()) {
    flags += (flags.empty() ? "--" : ", or --") + one->flag();
    if (!options.contains(one->flag())) continue;
    if (kind != nullptr)
      throw InputError(fmt::format("--{}, --{}", kind->flag(), one->flag()), "they exclude each other",
                       "Give one");
    kind = one;
  }
  if (kind == nullptr) throw InputError(flags, "nothing to run", "Give one");
  return *kind;
}

}  // namespace

Workload workload_of(Options options) {
  const pattern::PatternKind& kind = kind_of(options);
  Workload workload{kind.open(taken(options, kind.flag()), "--" + kind.flag()), {}};
  std::string policy = taken(options, "policy");
  if (policy.empty()) policy = policy::usual_policy().name();
  const std::string transfer = taken(options, "transfer");
  const policy::Variant variant = policy::find_variant(kind, policy, transfer, taken(options, "completion"));
  const Settings settings = settings_of(options, kind.parameters());
  const Settings policy_settings = settings_of(options, policy::policy(policy).parameters());
  const std::string given = taken(options, "ranks");
  const std::optional<int> asked = workload.pattern->ranks(settings);
  if (given.empty() && !asked) throw InputError("--ranks", "how many ranks?", "Give one number");
  const int ranks = given.empty() ? *asked : count_of(given, "--ranks");
  if (asked && *asked != ranks)
    throw InputError("--ranks", fmt::format("the other flags ask for {}", format_count(*asked, "rank")),
                     "Leave --ranks out");
  const std::string on_a_node = taken(options, "ranks-per-node");
  const std::string threads = taken(options, "threads");
  if (const std::string rule = taken(options, "placement"); !rule.empty())
    workload.placement = graph::parse_placement_rule(rule, "--placement");
  if (!options.empty())
    throw InputError("--" + options.begin()->first,
                     fmt::format("no option of {} with {}", kind.name(), policy), "Leave it out");
  Run& run = workload.run;
  run.problem = workload.pattern->problem(ranks, settings);
  run.policy = policy;
  run.policy_settings = policy_settings;
  run.policy_settings = policy::settings_of(run);
  run.transfer = variant.transfer;
  run.completion = variant.completion;
  run.ranks = ranks;
  run.ranks_per_node = on_a_node.empty() ? ranks : count_of(on_a_node, "--ranks-per-node");
  run.threads_per_rank = threads.empty() ? 1 : count_of(threads, "--threads");
  return workload;
}

}  // namespace finegrain::python
