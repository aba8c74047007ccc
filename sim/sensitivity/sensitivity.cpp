// SPDX-License-Identifier: MIT
#include "sim/sensitivity/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/answer/evaluate.hpp"
#include "sim/platform/scaled_links.hpp"
#include "sim/replay/child_process.hpp"

namespace finegrain::sensitivity {
namespace {

constexpr double as_good_as_free = 1e6;  ///< a factor that leaves nothing of a number's share
/// To which a factor is searched, as ratios: a run that is 1 % slower needs it more exactly.
constexpr double precision_of_better = 1.001;
constexpr double precision_of_worse = 1.0001;

/// A number that is made better by a factor.
struct Change {
  const Number* number;
  double factor;
};

LighterWork lighter_work(const Change& change) {
  if (change.number->part != Part::region) return {change.factor, change.number->ranks, ""};
  return {change.factor, {}, change.number->name};
}

/// Simulated seconds with a change. The replay is in this process, which must replay nothing else.
double total_s(replay::ReplayJob job, const replay::ReplayOptions& options, const Change& change) {
  const Number& number = *change.number;
  const auto simulated_s = [&] { return answer::evaluate_here({.job = job}, options).simulated->total_s; };
  if (number.part == Part::region || number.part == Part::rank || number.part == Part::nodes) {
    const LighterWork work = lighter_work(change);
    if (job.programs != nullptr) {
      const LighterPrograms programs(*job.programs, work);
      job.programs = &programs;
      return simulated_s();
    }
    const Schedule schedule = lighter(*job.schedule, work);
    job.schedule = &schedule;
    return simulated_s();
  }
  if (number.part == Part::noise) {
    const replay::Noise noise = with_longer_detours(*job.noise, 1 / change.factor);
    job.noise = &noise;
    return simulated_s();
  }
  platform::LinkFactors links{.links = number.name};
  platform::Platform platform = *job.platform;
  if (number.part == Part::link_bandwidth)
    links.bandwidth = change.factor;
  else if (number.part == Part::link_latency)
    links.latency = 1 / change.factor;
  else
    *cost_of(platform.costs, number.name) *= is_bandwidth(number) ? change.factor : 1 / change.factor;
  const platform::ScaledPlatform scaled(platform, links);
  job.platform = &scaled.platform();
  return simulated_s();
}

/// Simulates changes, each in a process of its own. Results have shape [changes].
class Simulations {
 public:
  Simulations(const replay::ReplayJob& job, const replay::ReplayOptions& options, int processes,
              const std::function<void(std::size_t, std::size_t)>& simulated)
      : job_(job), options_(options), processes_(processes), simulated_(simulated) {}

  void expect(std::size_t more) { all_ += more; }

  std::vector<double> run(const std::vector<Change>& changes) {
    std::vector<double> totals(changes.size());
    replay::forked<double>(
        changes.size(), processes_, [&](std::size_t i) { return total_s(job_, options_, changes[i]); },
        [&](std::size_t i, double total) {
          totals[i] = total;
          if (simulated_) simulated_(++done_, all_);
        },
        {}, options_.kept.get());
    return totals;
  }

 private:
  const replay::ReplayJob& job_;
  const replay::ReplayOptions& options_;
  int processes_;
  const std::function<void(std::size_t, std::size_t)>& simulated_;
  std::size_t done_ = 0;
  std::size_t all_ = 0;
};

/// Finds the factors that change the run's time to another one by bisection. Each round simulates every
/// number once. @param speedup  that this is
void find_needed(std::vector<Sensitivity>& numbers, double goal_s, double speedup, Simulations& simulations) {
  // Both are how many times better, or worse, a number is.
  struct Search {
    Sensitivity* of;
    double too_little = 1;
    double enough = as_good_as_free;
  };
  const bool is_better = speedup > 1;
  const double precision = is_better ? precision_of_better : precision_of_worse;
  const auto factor_of = [&](double times) { return is_better ? times : 1 / times; };
  const auto is_reached = [&](double total) { return is_better ? total <= goal_s : total >= goal_s; };
  std::vector<Search> searches;
  for (Sensitivity& number : numbers) {
    number.needed.emplace_back();
    searches.push_back({&number});
  }
  const auto halvings =
      static_cast<std::size_t>(std::ceil(std::log2(std::log(as_good_as_free) / std::log(precision))));
  simulations.expect(searches.size() * (halvings + 1));
  const auto totals_at = [&](const auto& times_of) {
    std::vector<Change> changes;
    for (const Search& search : searches)
      changes.push_back({&search.of->number, factor_of(times_of(search))});
    return simulations.run(changes);
  };
  const std::vector<double> best = totals_at([](const Search&) { return as_good_as_free; });
  std::vector<Search> possible;
  for (std::size_t i = 0; i < searches.size(); ++i)
    if (is_reached(best[i])) possible.push_back(searches[i]);
  searches = std::move(possible);
  const auto middle = [](const Search& search) { return std::sqrt(search.too_little * search.enough); };
  for (std::size_t round = 0; round < halvings && !searches.empty(); ++round) {
    const std::vector<double> totals = totals_at(middle);
    for (std::size_t i = 0; i < searches.size(); ++i)
      (is_reached(totals[i]) ? searches[i].enough : searches[i].too_little) = middle(searches[i]);
  }
  for (const Search& search : searches)
    search.of->needed.back() = factor_of(search.enough);
}

}  // namespace

double factor_of_elasticity(std::span<const double> factors) {
  return *std::ranges::min_element(
      factors, {}, [](double factor) { return std::pair(std::abs(std::log(factor)), factor < 1); });
}

Sensitivities sensitivities(const replay::ReplayJob& job, const replay::ReplayOptions& options,
                            const Question& question,
                            const std::function<void(std::size_t, std::size_t)>& simulated) {
  const SchedulePrograms scheduled(*job.schedule);
  const WorkTotals work = work_of(job.programs != nullptr ? *job.programs : scheduled);
  std::vector<Sensitivity> numbers;
  for (Number& number : numbers_of(*job.platform, work, question.most_ranks, job.noise, ranks_of_kinds(job)))
    numbers.push_back({std::move(number), {}, 0, {}});
  std::vector<Change> changes;
  for (const Sensitivity& number : numbers)
    for (const double factor : question.factors)
      changes.push_back({&number.number, factor});
  Simulations simulations(job, options, question.processes, simulated);
  simulations.expect(changes.size());
  Sensitivities result;
  result.total_s = answer::evaluate({{.job = job}}, 1, options).front().simulated->total_s;
  const std::vector<double> totals = simulations.run(changes);
  for (std::size_t i = 0; i < totals.size(); ++i)
    numbers[i / question.factors.size()].totals_s.push_back(totals[i]);
  const double nearest = factor_of_elasticity(question.factors);
  const auto place =
      static_cast<std::size_t>(std::ranges::find(question.factors, nearest) - question.factors.begin());
  for (Sensitivity& number : numbers)
    number.elasticity = std::log(result.total_s / number.totals_s[place]) / std::log(nearest);
  std::erase_if(numbers, [&](const Sensitivity& number) {
    return is_seldom_felt(number.number) &&
           std::ranges::all_of(number.totals_s, [&](double total) { return total == result.total_s; });
  });
  for (const double speedup : question.speedups)
    find_needed(numbers, result.total_s / speedup, speedup, simulations);
  const bool any_better = question.factors.back() > 1;
  std::ranges::stable_sort(numbers, {}, [&](const Sensitivity& number) {
    return any_better ? number.totals_s.back() : -number.totals_s.front();
  });
  result.numbers = std::move(numbers);
  return result;
}

}  // namespace finegrain::sensitivity
