// SPDX-License-Identifier: MIT
#include "sim/tune/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/policy/policy.hpp"
#include "sim/replay/platform_summary.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::tune {
namespace {

constexpr const char* no_file = "tune";  // stands for the study file in errors
constexpr std::int64_t least_block_size = 256;
constexpr std::int64_t most_block_size = 65536;

template <class Value>
std::vector<Value> each_once(const std::vector<Value>& values) {
  std::vector<Value> once;
  for (const Value& value : values)
    if (std::ranges::find(once, value) == once.end()) once.push_back(value);
  return once;
}

/// The numbers asked for, or else, for every platform, one rank a core and half as many.
std::vector<std::optional<int>> ranks_per_node(const TuneQuestion& question) {
  std::set<int> numbers(question.ranks_per_node.begin(), question.ranks_per_node.end());
  if (numbers.empty()) {
    for (const std::filesystem::path& platform : question.platforms) {
      const auto cores = static_cast<int>(replay::summarize_platform(platform).cores_per_host);
      const int ranks = std::max(1, cores / question.threads_per_rank);
      numbers.insert({ranks, std::max(1, ranks / 2)});
    }
  }
  return {numbers.begin(), numbers.end()};
}

std::vector<policy::Variant> usual_variants(const pattern::PatternKind& kind) {
  std::vector<policy::Variant> all = policy::variants(kind);
  std::erase_if(
      all, [](const policy::Variant& variant) { return !policy::policy(variant.policy).is_candidate(); });
  return all;
}

std::vector<std::optional<std::int64_t>> usual_block_sizes() {
  std::vector<std::optional<std::int64_t>> sizes{std::nullopt};
  for (std::int64_t size = least_block_size; size <= most_block_size; size *= 2)
    sizes.emplace_back(size);
  return sizes;
}

/// Whether a point has no more ranks on a node than cores, unless ranks_per_node were given. A number that
/// comes from a platform with more cores may be too large for another.
bool fits(const study::StudyPoint& point, const TuneQuestion& question, const study::StudyInputs& inputs) {
  const std::int64_t cores = inputs.platforms[point.platform].cores_per_host;
  return !question.ranks_per_node.empty() ||
         point.run.ranks_per_node <= std::max<std::int64_t>(1, cores / question.threads_per_rank);
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

}  // namespace

const pattern::PatternKind& tuned_pattern() {
  return *pattern::pattern_of_flag("matrix");
}

std::int64_t block_size_of(const Run& run) {
  return number_of(run.problem, "blocksize", 1);
}

study::StudyFile candidates(const TuneQuestion& question) {
  study::StudyFile study;
  study.file = no_file;
  study.pattern = tuned_pattern().name();
  study.problems = question.matrices;
  study.variants = question.variants.empty() ? usual_variants(tuned_pattern()) : each_once(question.variants);
  study.ranks_per_node = ranks_per_node(question);
  study.counts_nodes = true;
  study.ranks = each_once(question.nodes);
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

std::vector<Candidate> ways_to_run(const TuneQuestion& question, const study::StudyFile& study,
                                   const study::StudyInputs& inputs,
                                   const std::vector<study::StudyPoint>& points) {
  std::vector<Candidate> ways;
  for (const study::StudyPoint& point : points) {
    if (point.infeasible.empty() && fits(point, question, inputs) && is_way_of_its_own(point, study))
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
