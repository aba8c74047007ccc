// SPDX-License-Identifier: MIT
#include "sim/answer/regions.hpp"

#include <algorithm>
#include <iterator>

#include "sim/answer/waits.hpp"

namespace finegrain::answer {
namespace {

/// The place of a region among those of a rank, or their number.
std::size_t place_of(const std::vector<model::NumberedPhase>& regions, const model::NumberedPhase& wanted) {
  return static_cast<std::size_t>(std::ranges::find(regions, wanted) - regions.begin());
}

/// Adds the times of one region, which has a number of its own, to those that are shown.
void add(RegionTimes& times, const Answer& answer, Span span, const model::NumberedPhase& region,
         const std::vector<std::vector<model::NumberedPhase>>& regions_of_ranks) {
  const replay::ReplayResult& simulated = *answer.simulated;
  const Measurement* const measured = answer.question.measurement;
  const double simulated_in_span = span == Span::run ? 1 : answer.iterations();
  const double iterations = span == Span::run ? answer.iterations() : 1;
  double joules = 0;
  for (std::size_t rank = 0; rank < regions_of_ranks.size(); ++rank) {
    const std::size_t place = place_of(regions_of_ranks[rank], region);
    if (place == regions_of_ranks[rank].size()) continue;
    times.simulated_s[rank] += simulated.ranks[rank].phases_s[place] / simulated_in_span;
    if (!times.waits.empty())
      times.waits[rank].add(simulated.ranks[rank].waits.of(place), 1 / simulated_in_span);
    if (measured != nullptr) times.measured_s[rank] += iterations * measured->phases_s[rank][place];
    const std::vector<double>& phases_j = simulated.ranks[rank].phases_j;
    if (place < phases_j.size()) joules += phases_j[place];
  }
  times.joules += joules / simulated_in_span;
  if (!answer.closed_form) return;
  if (const auto seconds = phase_time_s(*answer.closed_form, region.region, region.number))
    times.closed_form_s = times.closed_form_s.value_or(0) + iterations * *seconds;
}

}  // namespace

std::vector<model::NumberedPhase> regions_of(const Schedule& schedule) {
  std::vector<model::NumberedPhase> all;
  for (const Body& rank : schedule.ranks) {
    auto next = all.begin();  // where a region belongs that no rank before has
    for (const model::NumberedPhase& region : model::numbered(rank.regions)) {
      const auto known = std::ranges::find(all, region);
      next = std::next(known == all.end() ? all.insert(next, region) : known);
    }
  }
  return all;
}

std::vector<RegionTimes> region_times(const Answer& answer, model::PhaseNames names, Span span) {
  const Schedule& schedule = *answer.question.job.schedule;
  std::vector<std::vector<model::NumberedPhase>> regions_of_ranks;
  for (const Body& rank : schedule.ranks)
    regions_of_ranks.push_back(model::numbered(rank.regions));
  std::vector<RegionTimes> all;
  for (const model::NumberedPhase& region : regions_of(schedule)) {
    const model::NumberedPhase shown =
        names == model::PhaseNames::each ? region : model::NumberedPhase{region.region};
    auto times = std::ranges::find(all, shown, &RegionTimes::region);
    if (times == all.end()) {
      const std::vector<double> zeros(schedule.ranks.size());
      times = all.insert(
          times, {.region = shown,
                  .simulated_s = zeros,
                  .waits = std::vector<replay::Waits>(knows_waits(answer) ? zeros.size() : 0),
                  .measured_s = answer.question.measurement != nullptr ? zeros : std::vector<double>(),
                  .closed_form_s = {}});
    }
    add(*times, answer, span, region, regions_of_ranks);
  }
  return all;
}

std::optional<double> late_of_slowest_s(const RegionTimes& times) {
  if (times.waits.empty()) return std::nullopt;
  return times
      .waits[static_cast<std::size_t>(std::ranges::max_element(times.simulated_s) -
                                      times.simulated_s.begin())]
      .late_s();
}

double slowest_s(std::span<const double> ranks_s) {
  return ranks_s.empty() ? 0 : std::ranges::max(ranks_s);
}

double mean_s(std::span<const double> ranks_s) {
  double mean = 0;
  for (const double of_rank : ranks_s)
    mean += of_rank / static_cast<double>(ranks_s.size());
  return mean;
}

}  // namespace finegrain::answer
