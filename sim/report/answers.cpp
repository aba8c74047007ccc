// SPDX-License-Identifier: MIT
#include "sim/report/answers.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/answer/interval.hpp"
#include "sim/answer/regions.hpp"

namespace finegrain::report {
namespace {

nlohmann::json over_ranks(std::span<const double> ranks_s) {
  return {{"mean", answer::mean_s(ranks_s)}, {"slowest", answer::slowest_s(ranks_s)}};
}

nlohmann::json to_json(const answer::RegionTimes& times) {
  nlohmann::json json = {{"name", times.region.name()},
                         {"kind", times.region.region.text()},
                         {"simulated_s", over_ranks(times.simulated_s)}};
  if (!times.waits.empty()) {
    std::vector<double> late_s;
    std::ranges::transform(times.waits, std::back_inserter(late_s), &replay::Waits::late_s);
    json["late_s"] = over_ranks(late_s);
    json["waits"] = waits_data(times.waits);
  }
  if (!times.measured_s.empty()) json["measured_s"] = over_ranks(times.measured_s);
  if (times.closed_form_s) json["closed_form_s"] = *times.closed_form_s;
  return json;
}

}  // namespace

void add_interval(nlohmann::json& json, const answer::Answer& answer, double iterations) {
  const std::optional<answer::Interval> interval = interval_of(answer);
  if (!interval) return;
  json["simulated_low_s"] = interval->low_s / iterations;
  json["simulated_high_s"] = interval->high_s / iterations;
}

nlohmann::json waits_data(std::span<const replay::Waits> ranks) {
  replay::Waits mean;
  for (const replay::Waits& of_rank : ranks)
    mean.add(of_rank, 1 / static_cast<double>(ranks.size()));
  nlohmann::json causes = nlohmann::json::array();
  for (const replay::WaitCause& cause : replay::wait_causes())
    if (has_cause(mean, cause)) causes.push_back({{"name", cause.heading}, {"seconds", mean.*cause.seconds}});
  return causes;
}

nlohmann::json energy_data(const replay::ReplayResult& simulated, double iterations) {
  return {{"total_j", simulated.energy->total_j / iterations},
          {"idle_j", simulated.energy->idle_j / iterations},
          {"mean_w", simulated.total_s > 0 ? simulated.energy->total_j / simulated.total_s : 0},
          {"phases", nlohmann::json::array()}};
}

nlohmann::json answer_of(const answer::Answer& answer) {
  nlohmann::json json = {{"simulated_s", answer.simulated->total_s / answer.iterations()},
                         {"phases", nlohmann::json::array()}};
  add_interval(json, answer, answer.iterations());
  if (answer.simulated->energy) json["energy"] = energy_data(*answer.simulated, answer.iterations());
  for (const answer::RegionTimes& times : region_times(answer)) {
    json["phases"].push_back(to_json(times));
    // What the region adds to the joules of an idle machine.
    if (answer.simulated->energy)
      json["energy"]["phases"].push_back({{"name", times.region.name()}, {"joules", times.joules}});
  }
  if (answer.closed_form) json["closed_form_s"] = answer.closed_form->total_s;
  if (const Measurement* const measured = answer.question.measurement) {
    json["measured_s"] = measured->iteration_s;
    json["measured_low_s"] = measured->iteration_low_s;
    json["measured_high_s"] = measured->iteration_high_s;
  }
  return json;
}

}  // namespace finegrain::report
