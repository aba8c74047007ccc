// SPDX-License-Identifier: MIT
#include "sim/tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "kernels/problem/placement.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/replay/programs/sockets.hpp"
#include "sim/study/closed_forms.hpp"
#include "sim/tune/grouped_simulations.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::tune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t leading_candidates = 6;
/// The shares of a budget that may be used when the simulations of each depth end. The finals need the rest.
constexpr double share_of_screening = 0.7;
constexpr double share_of_longer = 0.85;

/// Computes those that are not known.
void compute_closed_forms_of(std::vector<Candidate>& ways, const study::StudyInputs& inputs,
                             const TuneProgress& progress) {
  std::map<const study::StudyPoint*, study::Answer*> answers;
  std::vector<const study::StudyPoint*> points;
  for (Candidate& way : ways) {
    if (!is_open(way.closed_form)) continue;
    answers.emplace(way.point, &way.closed_form);
    points.push_back(way.point);
  }
  std::size_t finished = 0;
  compute_closed_forms(points, inputs, [&](const auto& group, const std::vector<study::Answer>& of_group) {
    for (std::size_t i = 0; i < group.size(); ++i)
      *answers.at(group[i]) = of_group[i];
    if (progress) progress("closed form", finished += group.size(), points.size());
  });
}

void set_judges(std::vector<Candidate>& ways, const study::StudyInputs& inputs, const TuneOptions& options) {
  for (Candidate& way : ways) {
    way.judge.objective = options.objective;
    if (!needs_energy(options.objective)) continue;
    const platform::Platform& platform = inputs.platforms[way.point->platform].platform;
    if (!platform.powers)
      throw InputError(platform.file.string(), "no socket_power (what a run draws depends on it)",
                       "Add it (docs/energy.md), or give another objective");
    const Run& run = way.point->run;
    way.judge.busy_w = replay::busy_power_w(problem::Placement(run.ranks, run.ranks_per_node),
                                            run.threads_per_rank, platform, options.replay.energy);
  }
}

/// The member in which the answer of a simulation of this depth is kept.
study::Answer& answer_at(Depth depth, Candidate& candidate) {
  switch (depth) {
    case Depth::few:
      return candidate.screened;
    case Depth::some:
      return candidate.longer;
    case Depth::all:
      break;
  }
  return candidate.simulated;
}

/// Simulates what a search asks for, within the budget.
class Simulator {
 public:
  Simulator(const TuneOptions& options, const study::StudyInputs& inputs, std::size_t ways,
            const TuneProgress& progress)
      : options_(options), inputs_(inputs), ways_(ways), progress_(progress), start_(Clock::now()) {}

  bool operator()(const std::vector<Candidate*>& candidates, Depth depth) {
    std::vector<Simulation> simulations;
    for (const Candidate* candidate : candidates)
      simulations.push_back({candidate->point, iterations_at(depth, candidate->point->run)});
    // The first final has no deadline, because there must be a winner even if the budget is used up.
    const bool first_final = depth == Depth::all && !std::exchange(finals_, true);
    const auto answers = simulate(simulations, first_final ? std::nullopt : deadline(depth));
    bool all = true;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!answers[i]) {
        all = false;
      } else {
        answer_at(depth, *candidates[i]) = *answers[i];
        candidates[i]->messages_per_rank = answers[i]->quantity("messages_per_rank").value_or(0);
      }
    }
    if (depth == Depth::few) progress_("screening", finished_ += candidates.size(), ways_);
    return all;
  }

  /// Takes in that there are so many more candidates.
  void expect(std::size_t more) { ways_ += more; }

  std::vector<std::optional<study::Answer>> simulate(const std::vector<Simulation>& simulations,
                                                     std::optional<Clock::time_point> deadline) const {
    return simulate_in_groups(
        simulations, inputs_,
        {.processes = options_.processes, .replay = options_.replay, .deadline = deadline}, {});
  }

  std::optional<Clock::time_point> deadline(Depth depth) const {
    if (!options_.budget_s) return std::nullopt;
    const double share = depth == Depth::few    ? share_of_screening
                         : depth == Depth::some ? share_of_longer
                                                : 1;
    return start_ + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(*options_.budget_s * share));
  }

 private:
  const TuneOptions& options_;
  const study::StudyInputs& inputs_;
  std::size_t ways_;
  const TuneProgress& progress_;
  Clock::time_point start_;
  std::size_t finished_ = 0;
  bool finals_ = false;
};

/// The candidates simulated in full, the best first. Equal ones keep their order.
std::vector<Candidate> ranked(const std::vector<Candidate>& ways) {
  std::vector<Candidate> finalists;
  std::ranges::copy_if(ways, std::back_inserter(finalists),
                       [](const Candidate& way) { return way.simulated.total_s.has_value(); });
  std::ranges::stable_sort(finalists, {}, [](const Candidate& way) { return *way.value(way.simulated); });
  return finalists;
}

/// Simulates a few iterations of the leading finalists with every declared number changed. The result is
/// scaled by the ratio of all to a few iterations of the unchanged finalist.
std::vector<NumberTried> try_numbers(TuneAnswer& answer, const Simulator& simulator) {
  const std::size_t leading = std::min(leading_candidates, answer.finalists.size());
  std::vector<NumberTried> numbers;
  std::vector<std::size_t> platforms;
  for (std::size_t platform = 0; platform < answer.study.platforms.size(); ++platform) {
    study::StudyFile changed;
    changed.platforms = {answer.study.platforms[platform]};
    for (ChangedNumber& number :
         changed_numbers(answer.study.platforms[platform], answer.study.changes.front())) {
      changed.changes.push_back(std::move(number.change));
      numbers.push_back({platform, std::move(number.text), {}});
      platforms.push_back(answer.inputs.platforms.size() + changed.changes.size() - 1);
    }
    if (!changed.changes.empty())
      std::ranges::move(open_platforms(changed), std::back_inserter(answer.inputs.platforms));
  }
  std::vector<study::StudyPoint> points;
  points.reserve(numbers.size() * leading);
  std::vector<Simulation> simulations;
  for (std::size_t number = 0; number < numbers.size(); ++number) {
    for (std::size_t i = 0; i < leading; ++i) {
      study::StudyPoint& point = points.emplace_back(*answer.finalists[i].point);
      if (point.position(study::Axis::platform) == numbers[number].platform)
        point.platform = platforms[number];
      simulations.push_back({&point, iterations_at(Depth::few, point.run)});
    }
  }
  const auto answers = simulator.simulate(simulations, simulator.deadline(Depth::all));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i] || answers[i]->interrupted) return {};
    const Candidate& finalist = answer.finalists[i % leading];
    std::optional<double> value = finalist.value(*answers[i]);
    if (value) *value *= *finalist.value(finalist.simulated) / *finalist.value(finalist.screened);
    numbers[i / leading].values.push_back(value);
  }
  return numbers;
}

/// Keeps the first reasons, each once.
void add_reason(const std::string& why, TuneAnswer& answer) {
  constexpr std::size_t most_reasons = 3;
  if (answer.why_cannot.size() < most_reasons &&
      std::ranges::find(answer.why_cannot, why) == answer.why_cannot.end())
    answer.why_cannot.push_back(why);
}

void add_what_cannot_run(const std::vector<study::StudyPoint>& points, const TuneQuestion& question,
                         TuneAnswer& answer) {
  for (const study::StudyPoint& point : points) {
    if (point.infeasible.empty() || !is_asked(point, question, answer.study, answer.inputs)) continue;
    ++answer.cannot_run;
    add_reason(point.infeasible, answer);
  }
}

/// The ways to run on so many nodes of one platform.
std::vector<Candidate> ways_on(std::size_t platform, std::int64_t nodes, const TuneQuestion& question,
                               TuneAnswer& answer) {
  study::StudyFile on_nodes = answer.study;
  on_nodes.ranks = {nodes};
  std::vector<study::StudyPoint> points = points_of(on_nodes, answer.inputs);
  std::erase_if(points, [&](const study::StudyPoint& point) { return point.platform != platform; });
  answer.points_on_more_nodes.push_back(std::move(points));
  std::vector<Candidate> ways;
  for (const study::StudyPoint& point : answer.points_on_more_nodes.back())
    if (is_worth_trying(point, question, on_nodes, answer.inputs))
      ways.push_back({.point = &point, .closed_form = {}, .screened = {}, .longer = {}, .simulated = {}});
  return ways;
}

/// The numbers of nodes on which something was simulated, shape [platforms][.]
std::vector<std::vector<std::int64_t>> nodes_tried(const std::vector<Candidate>& ways,
                                                   std::size_t platforms) {
  std::vector<std::set<std::int64_t>> numbers(platforms);
  for (const Candidate& way : ways)
    if (way.screened.total_s)
      numbers[way.point->position(study::Axis::platform)].insert(nodes_of(way.point->run));
  std::vector<std::vector<std::int64_t>> tried;
  for (const std::set<std::int64_t>& of_platform : numbers)
    tried.emplace_back(of_platform.begin(), of_platform.end());
  return tried;
}

}  // namespace

TuneAnswer tune(const TuneQuestion& question, const TuneOptions& options, const TuneProgress& progress) {
  TuneAnswer answer;
  answer.objective = options.objective;
  // Each is read once.
  const std::vector<platform::PlatformDocument> kept(question.platforms.begin(), question.platforms.end());
  answer.study = candidates(question);
  answer.inputs = open_inputs(answer.study);
  answer.points = points_of(answer.study, answer.inputs);
  answer.nodes_were_given = !question.nodes.empty();
  if (question.variants.empty()) answer.policies_left_out = unusual_policies();
  answer.numbers_kept = kept_numbers(answer.study.variants, question.axes);
  std::vector<Candidate> ways = ways_to_run(question, answer.study, answer.inputs, answer.points);
  add_what_cannot_run(answer.points, question, answer);
  set_judges(ways, answer.inputs, options);
  Simulator simulator(options, answer.inputs, ways.size(), progress);
  compute_closed_forms_of(ways, answer.inputs, progress);
  MoreNodes more;
  if (question.nodes.empty()) {
    for (const study::ChangedPlatform& changed : answer.inputs.platforms)
      more.hosts.push_back(changed.hosts);
    more.on_nodes = [&](std::size_t platform, std::int64_t nodes) {
      std::vector<Candidate> on_nodes = ways_on(platform, nodes, question, answer);
      set_judges(on_nodes, answer.inputs, options);
      simulator.expect(on_nodes.size());
      return on_nodes;
    };
  }
  answer.search = search(ways, std::ref(simulator), options.try_numbers ? leading_candidates : 1, more);
  answer.nodes_tried = nodes_tried(ways, answer.study.platforms.size());
  answer.finalists = ranked(ways);
  if (answer.finalists.empty()) {
    const auto failed =
        std::ranges::find_if(ways, [](const Candidate& way) { return !way.screened.none_because.empty(); });
    if (failed != ways.end()) throw InputError("", failed->screened.none_because);
    throw InputError("budget", "not one simulation ended in time", "Give more");
  }
  compute_closed_forms_of(answer.finalists, answer.inputs, {});
  for (const Candidate& way : ways)
    if (!way.screened.none_because.empty() && !way.screened.interrupted)
      add_reason(way.screened.none_because, answer);
  if (options.try_numbers) answer.numbers = try_numbers(answer, simulator);
  return answer;
}

}  // namespace finegrain::tune
