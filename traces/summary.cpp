// SPDX-License-Identifier: MIT
#include "traces/summary.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "traces/quantile.hpp"

namespace finegrain {
namespace {

double seconds(std::int64_t duration_ns) {
  return 1e-9 * static_cast<double>(duration_ns);
}

struct RegionTotals {
  RegionSummary summary;
  double total_s = 0;
  /// The rank that is being read.
  double rank_total_s = 0;
  std::int64_t rank_times_run = 0;

  void add(std::span<const Operation> operations, double duration_s) {
    rank_total_s += duration_s;
    ++rank_times_run;
    summary.longest_s = std::max(summary.longest_s, duration_s);
    summary.memory_bytes += static_cast<double>(memory_bytes(operations));
    for_each_post(operations, [&](const Post& post) {
      ++summary.messages;
      summary.message_bytes += static_cast<double>(post.size_bytes) * static_cast<double>(post.repeat);
    });
  }

  void end_rank() {
    if (rank_times_run == 0) return;
    summary.slowest_rank_mean_s =
        std::max(summary.slowest_rank_mean_s, rank_total_s / static_cast<double>(rank_times_run));
    total_s += std::exchange(rank_total_s, 0);
    summary.times_run += std::exchange(rank_times_run, 0);
  }
};

}  // namespace

TraceSummary summarize(const Trace& trace, const OnRank& on_rank) {
  const RegionName waiting_for_core("waiting for a core");
  TraceSummary summary;
  std::map<std::pair<int, RegionName>, RegionTotals> of_regions;
  std::vector<double> longest_s;  // shape [iterations]
  const int ranks = trace.manifest().run.ranks;
  for (int rank = 0; rank < ranks; ++rank) {
    try {
      summary.file_bytes += trace.file_bytes(rank);
      Trace::RankReader reader = trace.rank(rank);
      std::size_t iteration = 0;
      for (auto recorded = reader.next(); recorded; recorded = reader.next(), ++iteration) {
        if (iteration == longest_s.size()) longest_s.push_back(0);
        longest_s[iteration] = std::max(longest_s[iteration], seconds(recorded->time.length_ns()));
        summary.messages += static_cast<std::int64_t>(recorded->posts.size());
        for (std::size_t r = 0; r < recorded->regions.size(); ++r) {
          const Region& region = recorded->body.regions[r];
          const bool is_work = r == 0 && trace.names_functions() && region.name == regions::compute;
          const std::int64_t lost_ns = is_work ? recorded->lost_ns : 0;
          of_regions[{static_cast<int>(r), region.name}].add(
              recorded->body.operations_of(region), seconds(recorded->regions[r].length_ns() - lost_ns));
          if (is_work) of_regions[{0, waiting_for_core}].add({}, seconds(lost_ns));
        }
      }
    } catch (const InputError& error) {
      summary.problems.emplace_back(error.what());
    }
    for (auto& [key, totals] : of_regions)
      totals.end_rank();
    if (on_rank) on_rank(rank + 1, ranks);
  }
  summary.iterations = static_cast<std::int64_t>(longest_s.size());
  if (!longest_s.empty())
    summary.iteration_time = {quantile(longest_s, 0.5), quantile(longest_s, 0.1), quantile(longest_s, 0.9)};
  for (auto& [key, totals] : of_regions) {
    if (key.second == waiting_for_core && totals.summary.longest_s <= 0) continue;
    totals.summary.index = key.first;
    totals.summary.name = key.second;
    totals.summary.mean_s = totals.total_s / static_cast<double>(totals.summary.times_run);
    summary.regions.push_back(totals.summary);
  }
  return summary;
}

}  // namespace finegrain
