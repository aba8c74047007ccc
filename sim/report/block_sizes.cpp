// SPDX-License-Identifier: MIT
#include "sim/report/block_sizes.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/problem/distribution.hpp"
#include "sim/pattern/on_threads.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/policy.hpp"

namespace finegrain::report {
namespace {

/// How many layouts one pass over J may count: with small blocks, every rank may read from every other.
std::size_t layouts_at_once(std::int64_t ranks) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
  const std::int64_t bytes = ranks * ranks * static_cast<std::int64_t>(sizeof(pattern::PeerCounts));
  return static_cast<std::size_t>(std::max<std::int64_t>(1, most_bytes / bytes));
}

}  // namespace

std::vector<std::int64_t> block_sizes_of(const Run& run) {
  constexpr std::int64_t smallest = 64;
  const std::vector<std::int64_t> elements = pattern::pattern_kind(run).elements_of_ranks(run);
  const std::int64_t all = std::reduce(elements.begin(), elements.end());
  std::vector<std::int64_t> sizes{number_of(run.problem, block_size_setting, 1)};
  for (std::int64_t size = smallest; size <= problem::one_block_per_rank(all, run.ranks); size *= 2)
    sizes.push_back(size);
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::vector<BlockSizeRun> with_other_block_sizes(const Run& run, const pattern::Pattern& pattern,
                                                 const problem::Placement& placement,
                                                 std::span<const policy::Variant> variants) {
  std::vector<BlockSizeRun> runs;
  std::vector<Run> layouts;
  for (const std::int64_t size : block_sizes_of(run)) {
    Run other = run;
    other.problem.settings[block_size_setting] = size;
    layouts.push_back(other);
    runs.push_back({.run = std::move(other), .messages = 0, .formulas = {}});
  }
  const std::size_t at_once = layouts_at_once(run.ranks);
  for (std::size_t first = 0; first < layouts.size(); first += at_once) {
    const auto part = std::span(layouts).subspan(first, std::min(at_once, layouts.size() - first));
    const std::vector placements(part.size(), placement);
    std::vector<std::vector<pattern::RankCounts>> counts =
        policy::counts_of(pattern, part, placements, pattern::all_cores());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      BlockSizeRun& size = runs[first + i];
      size.messages = policy::policy(size.run).messages(size.run, counts[i]);
      for (const policy::Variant& variant : variants) {
        Run other = size.run;
        other.policy = variant.policy;
        other.transfer = variant.transfer;
        other.completion = variant.completion;
        other.policy_settings = variant.settings;
        policy::policy(other).add_counts(pattern, other, counts[i]);
        size.formulas.push_back(
            policy::formula_of(other, counts[i], model::ClosedForm::as_published, placement));
      }
    }
  }
  return runs;
}

}  // namespace finegrain::report
