// SPDX-License-Identifier: MIT
#include "sim/tune/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/replay/platform_view.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

constexpr const char* no_file = "tune";  // what errors name where a study has its file
constexpr std::int64_t least_block_size = 256;
constexpr std::int64_t most_block_size = 65536;

template <class Value>
std::vector<Value> each_once(const std::vector<Value>& values) {
  std::vector<Value> once;
  for (const Value& value : values)
    if (std::ranges::find(once, value) == once.end()) once.push_back(value);
  return once;
}

/// A rank a core, and half as many, of every platform.
std::vector<std::optional<int>> ranks_per_node(const TuneQuestion& question) {
  std::set<int> numbers(question.ranks_per_node.begin(), question.ranks_per_node.end());
  if (numbers.empty()) {
    for (const std::filesystem::path& platform : question.platforms) {
      const auto cores = static_cast<int>(view_platform(platform).cores_per_host);
      const int ranks = std::max(1, cores / question.threads_per_rank);
      numbers.insert({ranks, std::max(1, ranks / 2)});
    }
  }
  return {numbers.begin(), numbers.end()};
}

/// naive is individual, as far as a simulation knows.
std::vector<Program> programs_with_equations() {
  std::vector<Program> programs = spmv_programs();
  std::erase_if(programs, [](const Program& program) { return program.policy == Policy::naive; });
  return programs;
}

std::vector<std::optional<std::int64_t>> usual_block_sizes() {
  std::vector<std::optional<std::int64_t>> sizes{std::nullopt};
  for (std::int64_t size = least_block_size; size <= most_block_size; size *= 2)
    sizes.emplace_back(size);
  return sizes;
}

/// Where nobody said how many ranks a node holds, no more than fit on its cores: another platform may have
/// more.
bool fits(const StudyPoint& point, const TuneQuestion& question, const StudyInputs& inputs) {
  const std::int64_t cores = inputs.machines[point.machine].cores_per_host;
  return !question.ranks_per_node.empty() ||
         point.run.ranks_per_node <= std::max<std::int64_t>(1, cores / question.threads_per_rank);
}

bool is_way_of_its_own(const StudyPoint& point, const StudyFile& study) {
  const bool on_one_node = point.run.ranks <= point.run.ranks_per_node;
  if (on_one_node && point.placement != study.placements.front()) return false;
  const auto& sizes = study.block_sizes;
  if (!sizes[point.position(Axis::block_size)] ||
      std::ranges::find(sizes, std::optional<std::int64_t>()) == sizes.end())
    return true;
  const auto& problem = std::get<SpmvProblem>(point.run.problem);
  return problem.block_size * point.run.ranks < problem.rows;
}

}  // namespace

StudyFile candidates(const TuneQuestion& question) {
  StudyFile study;
  study.file = no_file;
  study.problems = question.matrices;
  study.programs = question.programs.empty() ? programs_with_equations() : each_once(question.programs);
  study.ranks_per_node = ranks_per_node(question);
  study.counts_nodes = true;
  study.ranks = each_once(question.nodes);
  study.block_sizes = question.block_sizes.empty() ? usual_block_sizes() : each_once(question.block_sizes);
  study.placements = each_once(question.placements);
  study.platforms = each_once(question.platforms);
  study.changes = {{"--set", question.set}};
  study.threads_per_rank = question.threads_per_rank;
  study.iterations = question.iterations;
  return study;
}

std::vector<Candidate> ways_to_run(const TuneQuestion& question, const StudyFile& study,
                                   const StudyInputs& inputs, const std::vector<StudyPoint>& points) {
  std::vector<Candidate> ways;
  for (const StudyPoint& point : points) {
    if (point.infeasible.empty() && fits(point, question, inputs) && is_way_of_its_own(point, study))
      ways.push_back({.point = &point, .closed_form = {}, .screened = {}, .longer = {}, .simulated = {}});
  }
  if (ways.empty()) {
    const std::string& why = points.front().infeasible;
    throw InputError(fmt::format("tune: nothing can run ({}). Give other --nodes or --ranks-per-node",
                                 why.empty() ? "more ranks a node than cores" : why));
  }
  return ways;
}

}  // namespace finegrain
