// SPDX-License-Identifier: MIT
#include "sim/tune/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/platform/platform_facts.hpp"
#include "sim/policy/policy.hpp"
#include "sim/policy/preparation.hpp"
#include "sim/replay/platform_summary.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::tune {
namespace {

constexpr const char* no_file = "tune";  // stands for the study file in errors
constexpr std::int64_t least_block_size = 256;
constexpr std::int64_t most_block_size = 65536;
constexpr std::int64_t most_first_nodes = 16;

template <class Value>
std::vector<Value> each_once(const std::vector<Value>& values) {
  std::vector<Value> once;
  for (const Value& value : values)
    if (std::ranges::find(once, value) == once.end()) once.push_back(value);
  return once;
}

/// One rank a core; half, a quarter and an eighth as many: where messages or memory count most, fewer ranks
/// may be faster.
std::set<int> usual_ranks_per_node(int cores, int threads_per_rank) {
  std::set<int> numbers;
  for (const int part : {1, 2, 4, 8})
    numbers.insert(std::max(1, cores / threads_per_rank / part));
  return numbers;
}

/// The cores of a node; of the first one if the file does not say them for all.
int cores_of(const platform::PlatformFacts& facts, std::int64_t cores_of_first) {
  return facts.cores.value_or(static_cast<int>(cores_of_first));
}

std::vector<std::optional<std::int64_t>> usual_block_sizes() {
  std::vector<std::optional<std::int64_t>> sizes{std::nullopt};
  for (std::int64_t size = least_block_size; size <= most_block_size; size *= 2)
    sizes.emplace_back(size);
  return sizes;
}

/// Whether a number of ranks a node was given, or else is one of the platform's own.
bool has_usual_ranks(int ranks_per_node, const study::ChangedPlatform& changed,
                     const TuneQuestion& question) {
  return !question.ranks_per_node.empty() ||
         usual_ranks_per_node(cores_of(changed.facts, changed.cores_per_host), question.threads_per_rank)
             .contains(ranks_per_node);
}

bool is_way_of_its_own(const study::StudyPoint& point, const study::StudyFile& study) {
  const bool on_one_node = point.run.ranks <= point.run.ranks_per_node;
  if (on_one_node && point.placement != study.placements.front()) return false;
  const auto& settings = study.settings;
  if (settings[point.position(study::Axis::settings)].empty() ||
      std::ranges::find(settings, Settings()) == settings.end())
    return true;
  return block_size_of(point.run) * point.run.ranks < number_of(point.run.problem, "rows", 1);
}

/// The policy of what programs do once, before they iterate.
std::string prepares_once() {
  Run run;
  run.problem.pattern = tuned_pattern().name();
  run.policy = policy::usual_policy().name();
  run.transfer = policy::usual_policy().usual_transfer();
  const std::optional<Run> once = policy::preparation_of(run);
  return once ? once->policy : "";
}

}  // namespace

const pattern::PatternKind& tuned_pattern() {
  return *pattern::pattern_of_flag("matrix");
}

std::int64_t block_size_of(const Run& run) {
  return number_of(run.problem, "blocksize", 1);
}

std::vector<policy::Variant> usual_variants() {
  std::vector<policy::Variant> all = policy::variants(tuned_pattern());
  std::erase_if(
      all, [](const policy::Variant& variant) { return !policy::policy(variant.policy).is_candidate(); });
  return all;
}

std::vector<std::string> unusual_policies() {
  std::vector<std::string> names;
  for (const policy::Policy* policy : policy::policies())
    if (!policy->is_candidate() && policy->name() != prepares_once() &&
        !policy->variants(tuned_pattern()).empty())
      names.push_back(policy->name());
  return names;
}

std::vector<std::int64_t> first_nodes(const TuneQuestion& question, std::int64_t hosts) {
  if (!question.nodes.empty()) return each_once(question.nodes);
  std::vector<std::int64_t> nodes;
  for (std::int64_t power = 1; power <= std::min(hosts, most_first_nodes); power *= 2)
    nodes.push_back(power);
  if (hosts < most_first_nodes && nodes.back() < hosts) nodes.push_back(hosts);
  return nodes;
}

study::StudyFile candidates(const TuneQuestion& question) {
  study::StudyFile study;
  study.file = no_file;
  study.pattern = tuned_pattern().name();
  study.problems = question.matrices;
  study.variants =
      with_axes(question.variants.empty() ? usual_variants() : each_once(question.variants), question.axes);
  std::set<int> ranks_per_node(question.ranks_per_node.begin(), question.ranks_per_node.end());
  std::set<std::int64_t> nodes;
  for (const std::filesystem::path& file : question.platforms) {
    const replay::PlatformSummary summary = replay::summarize_platform(file);
    const std::vector<std::int64_t> of_platform = first_nodes(question, summary.hosts);
    nodes.insert(of_platform.begin(), of_platform.end());
    if (summary.cores_differ && question.ranks_per_node.empty())
      throw InputError(file.string(),
                       "its nodes have different numbers of cores (tune puts equally many ranks on each)",
                       "Give the ranks per node");
    if (question.ranks_per_node.empty())
      ranks_per_node.merge(usual_ranks_per_node(
          cores_of(platform::platform_facts(file), summary.cores_per_host), question.threads_per_rank));
  }
  study.ranks_per_node.assign(ranks_per_node.begin(), ranks_per_node.end());
  study.counts_nodes = true;
  study.ranks = question.nodes.empty() ? std::vector(nodes.begin(), nodes.end()) : each_once(question.nodes);
  for (const auto& size :
       question.block_sizes.empty() ? usual_block_sizes() : each_once(question.block_sizes))
    study.settings.push_back(size ? Settings{{"blocksize", *size}} : Settings());
  study.placements = each_once(question.placements);
  study.platforms = each_once(question.platforms);
  study.changes = {{"--set", question.set}};
  study.threads_per_rank = question.threads_per_rank;
  study.iterations = question.iterations;
  return study;
}

bool is_worth_trying(const study::StudyPoint& point, const TuneQuestion& question,
                     const study::StudyFile& study, const study::StudyInputs& inputs) {
  return point.infeasible.empty() &&
         has_usual_ranks(point.run.ranks_per_node, inputs.platforms[point.platform], question) &&
         is_way_of_its_own(point, study);
}

bool is_asked(const study::StudyPoint& point, const TuneQuestion& question, const study::StudyFile& study,
              const study::StudyInputs& inputs) {
  const std::vector<std::int64_t> nodes = first_nodes(question, inputs.platforms[point.platform].hosts);
  const std::optional<int> ranks_per_node = study.ranks_per_node[point.position(study::Axis::ranks_per_node)];
  return std::ranges::find(nodes, study.ranks[point.position(study::Axis::ranks)]) != nodes.end() &&
         has_usual_ranks(*ranks_per_node, inputs.platforms[point.platform], question);
}

std::vector<Candidate> ways_to_run(const TuneQuestion& question, const study::StudyFile& study,
                                   const study::StudyInputs& inputs,
                                   const std::vector<study::StudyPoint>& points) {
  std::vector<Candidate> ways;
  for (const study::StudyPoint& point : points) {
    if (is_asked(point, question, study, inputs) && is_worth_trying(point, question, study, inputs))
      ways.push_back({.point = &point, .closed_form = {}, .screened = {}, .longer = {}, .simulated = {}});
  }
  if (ways.empty()) {
    const std::string& why = points.front().infeasible;
    throw InputError("tune",
                     fmt::format("nothing can run ({})", why.empty() ? "more ranks a node than cores" : why),
                     "Give other numbers of nodes or ranks per node");
  }
  return ways;
}

}  // namespace finegrain::tune
