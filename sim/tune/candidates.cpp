// SPDX-License-Identifier: MIT
#include "sim/tune/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/problem/placement.hpp"
#include "sim/platform/cost_properties.hpp"
#include "sim/replay/platform_view.hpp"

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

/// As they are, and each number that all platforms have a little better and a little worse.
std::vector<PlatformChange> changes(const std::vector<std::filesystem::path>& platforms) {
  std::vector<PlatformChange> changes{{no_file, {}}};
  for (const char* name : closed_form_numbers) {
    const bool everywhere = std::ranges::all_of(platforms, [&](const std::filesystem::path& platform) {
      const std::vector<CostProperty> properties = read_cost_properties(platform, {});
      return std::ranges::find(properties, name, &CostProperty::name)->value().has_value();
    });
    if (!everywhere) continue;
    changes.push_back({no_file, {{name, fmt::format("x{}", declared_margin)}}});
    changes.push_back({no_file, {{name, fmt::format("/{}", declared_margin)}}});
  }
  return changes;
}

std::size_t size_from(const StudyFile& study, std::size_t axis) {
  std::size_t size = 1;
  for (; axis < axis_count; ++axis)
    size *= study.size(static_cast<Axis>(axis));
  return size;
}

}  // namespace

StudyFile candidates(const TuneQuestion& question) {
  StudyFile study;
  study.file = no_file;
  study.problems = {question.matrix};
  for (const Program& program : spmv_programs())
    if (program.policy != Policy::naive) study.programs.push_back(program);
  study.ranks_per_node = ranks_per_node(question);
  study.counts_nodes = true;
  study.ranks = each_once(question.nodes);
  study.block_sizes = {std::nullopt};
  for (std::int64_t size = least_block_size; size <= most_block_size; size *= 2)
    study.block_sizes.emplace_back(size);
  study.placements = {PlacementRule::block, PlacementRule::cyclic, PlacementRule::communication};
  study.platforms = each_once(question.platforms);
  study.changes = changes(study.platforms);
  study.threads_per_rank = question.threads_per_rank;
  study.iterations = question.iterations;
  return study;
}

bool is_screened(const StudyPoint& point, const StudyFile& study) {
  if (point.position(Axis::set) != 0 || point.placement == PlacementRule::communication) return false;
  return point.placement == PlacementRule::block || study.ranks[point.position(Axis::ranks)] > 1;
}

const StudyPoint& sibling(const std::vector<StudyPoint>& points, const StudyPoint& point,
                          const StudyFile& study, Axis axis, std::size_t position) {
  const std::size_t stride = size_from(study, static_cast<std::size_t>(axis) + 1);
  return points[static_cast<std::size_t>(point.number) + position * stride - point.position(axis) * stride];
}

}  // namespace finegrain
