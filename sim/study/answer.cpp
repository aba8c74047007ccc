// SPDX-License-Identifier: MIT
#include "sim/study/answer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/answer/quantities.hpp"
#include "sim/answer/regions.hpp"
#include "sim/replay/child_process.hpp"
#include "sim/study/study_row.hpp"

namespace finegrain::study {
namespace {

using Times = std::vector<std::pair<std::string, double>>;

/// The slowest rank's time in each phase.
Times slowest_phases(const answer::Answer& answer) {
  Times slowest;
  for (const answer::RegionTimes& times : region_times(answer, model::PhaseNames::each, answer::Span::run))
    slowest.emplace_back(times.region.name(), answer::slowest_s(times.simulated_s));
  return slowest;
}

/// The mean over the ranks of the seconds in each function, the longest first. "compute" is the time between
/// functions.
Times mean_functions(const answer::Answer& answer) {
  Times longest;
  for (const auto& [name, ranks_s] : region_seconds(*answer.simulated))
    longest.emplace_back(name, replay::sum_over_ranks(ranks_s) / static_cast<double>(ranks_s.size()));
  std::ranges::stable_sort(longest, std::ranges::greater(), &Times::value_type::second);
  constexpr std::size_t most = 16;  // keeps an answer short
  longest.resize(std::min(longest.size(), most));
  return longest;
}

/// The largest value of each quantity among some answers.
Times largest_quantities(std::span<const answer::Answer> answers) {
  Times largest;
  for (const KeptQuantity& kept : kept_quantities) {
    std::optional<double> most;
    for (const answer::Answer& answer : answers)
      if (const std::optional<double> value = number_of(answer, kept.name))
        most = std::max(most.value_or(*value), *value);
    if (most) largest.emplace_back(kept.name, *most);
  }
  return largest;
}

}  // namespace

std::optional<double> Answer::quantity(std::string_view name) const {
  const auto found = std::ranges::find(quantities, name, &Times::value_type::first);
  return found == quantities.end() ? std::nullopt : std::optional(found->second);
}

Answer simulated_answer(const answer::Answer& answer) {
  return {
      .total_s = answer.simulated->total_s,
      .phases_s = answer.question.job.programs != nullptr ? mean_functions(answer) : slowest_phases(answer),
      .quantities = largest_quantities({&answer, 1}),
      .none_because = {}};
}

Answer closed_form_answer(const answer::Answer& answer) {
  if (!answer.closed_form)
    return {.total_s = {}, .phases_s = {}, .none_because = "there are no equations of this policy"};
  Answer kept{.total_s = number_of(answer, "closed_form_s"), .phases_s = {}, .none_because = {}};
  const std::vector<model::NumberedPhase> names = numbered(answer.closed_form->phases);
  for (std::size_t phase = 0; phase < names.size(); ++phase)
    kept.phases_s.emplace_back(names[phase].name(),
                               answer.iterations() * answer.closed_form->phases[phase].time_s);
  return kept;
}

Answer answer_of_jobs(std::span<const answer::Answer> jobs) {
  Answer kept{.total_s = 0, .phases_s = {}, .quantities = largest_quantities(jobs), .none_because = {}};
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const replay::SharedJobTimes& times = *jobs[j].beside_others;
    kept.phases_s.emplace_back(fmt::format("job {} alone", j + 1), times.alone_s);
    kept.phases_s.emplace_back(fmt::format("job {} together", j + 1), times.together_s);
    kept.total_s = std::max(*kept.total_s, jobs[j].question.shared->start_s + times.together_s);
  }
  return kept;
}

Answer no_answer(const InputError& error) {
  return {.total_s = {},
          .phases_s = {},
          .none_because = error.what(),
          .interrupted = dynamic_cast<const replay::TaskInterrupted*>(&error) != nullptr};
}

}  // namespace finegrain::study
