// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>
#include <utility>

#include "traces/changes/work.hpp"
#include "traces/place_of_call.hpp"
#include "traces/quantile.hpp"

namespace finegrain::changes {
namespace {

/// Each time that one rank of one run went through each stretch.
struct RankOfRun {
  std::map<Stretch, std::vector<double>> stretches_s;
  std::map<RegionName, std::pair<double, std::int64_t>> calls;  ///< seconds and number
};

RankOfRun read_rank(const Programs& run, int rank, const KnownPlaces& places) {
  RankOfRun read;
  StretchWalk walk(places);
  double work_s = 0;
  const auto cursor = run.rank(rank);
  while (const Loop* loop = cursor->next()) {
    const Body& call = *loop->body;
    for (std::size_t r = 0; r < loop->regions_s.size(); ++r)
      if (call.regions[r].name == regions::compute)
        work_s += static_cast<double>(loop->count) * loop->regions_s[r];
    const std::optional<Stretch> stretch = walk.enter(call);
    if (!stretch) continue;
    std::vector<double>& times_s = read.stretches_s[*stretch];
    times_s.push_back(std::exchange(work_s, 0));
    times_s.resize(times_s.size() + static_cast<std::size_t>(loop->count - 1), 0);
    if (loop->regions_s.empty() || call.regions.back().name == regions::compute) continue;
    auto& [seconds, number] = read.calls[places.name(call.regions.back().name)];
    seconds += static_cast<double>(loop->count) * loop->regions_s.back();
    number += loop->count;
  }
  return read;
}

/// Each time that a rank goes through a stretch, in one run; null: it never does.
using Passes = const std::vector<double>*;

StretchWork work_of(const std::vector<Passes>& runs) {
  StretchWork work;
  for (const Passes run : runs) {
    work.times.push_back(run == nullptr ? 0 : std::ssize(*run));
    work.runs_s.push_back(run == nullptr ? 0 : std::accumulate(run->begin(), run->end(), 0.0));
  }
  if (!work.is_as_often(work)) {
    work.least_s =
        std::accumulate(work.runs_s.begin(), work.runs_s.end(), 0.0) / static_cast<double>(runs.size());
    return work;
  }
  constexpr double most_usual = 2;
  std::ranges::fill(work.runs_s, 0.0);
  for (std::size_t time = 0; time < runs.front()->size(); ++time) {
    std::vector<double> passes_s;
    for (const Passes run : runs)
      passes_s.push_back((*run)[time]);
    const double usual_s = quantile(passes_s, 0.5);
    work.least_s += std::ranges::min(passes_s);
    for (std::size_t run = 0; run < runs.size(); ++run)
      work.runs_s[run] += std::min((*runs[run])[time], most_usual * usual_s);
  }
  return work;
}

}  // namespace

std::optional<Stretch> StretchWalk::enter(const Body& call) {
  if (call.regions.empty() || depends_on_arrival(call)) return std::nullopt;
  if (is_moment_of_thread(call.regions.back().name)) return std::nullopt;
  const RegionName name = places_.name(call.regions.back().name);
  const Stretch stretch{anchor_, name};
  if (places_.anchors.contains(name)) anchor_ = name;
  return stretch;
}

double StretchWork::mean_times() const {
  return static_cast<double>(std::accumulate(times.begin(), times.end(), std::int64_t{0})) /
         static_cast<double>(times.size());
}

bool StretchWork::is_as_often(const StretchWork& other) const {
  const auto is_same = [&](std::int64_t number) { return number == times.front(); };
  return std::ranges::all_of(times, is_same) && std::ranges::all_of(other.times, is_same);
}

WorkOfRuns measure_work(std::span<const std::unique_ptr<Programs>> runs, const KnownPlaces& places) {
  WorkOfRuns work;
  for (int rank = 0; rank < runs.front()->ranks(); ++rank) {
    std::vector<RankOfRun> read;
    for (const auto& run : runs)
      read.push_back(read_rank(*run, rank, places));
    std::map<Stretch, std::vector<Passes>> stretches;
    std::map<RegionName, std::pair<double, std::int64_t>> calls;
    for (std::size_t run = 0; run < read.size(); ++run) {
      for (const auto& [stretch, times_s] : read[run].stretches_s)
        stretches.try_emplace(stretch, read.size()).first->second[run] = &times_s;
      for (const auto& [place, call] : read[run].calls) {
        calls[place].first += call.first;
        calls[place].second += call.second;
      }
    }
    auto& of_rank = work.ranks.emplace_back();
    for (const auto& [stretch, of_runs] : stretches)
      of_rank.emplace(stretch, work_of(of_runs));
    auto& calls_s = work.calls_s.emplace_back();
    for (const auto& [place, call] : calls)
      calls_s[place] = call.first / static_cast<double>(call.second);
  }
  return work;
}

}  // namespace finegrain::changes
