// SPDX-License-Identifier: MIT
#include "sim/tune/tune_notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/answer/interval.hpp"
#include "sim/policy/idle_ranks.hpp"
#include "traces/io/units.hpp"

namespace finegrain::tune {

double value_of(const Candidate& candidate) {
  return *candidate.value(candidate.simulated);
}

double node_hours(const Candidate& candidate) {
  return *Judge{Objective::node_hours}.value(candidate.point->run, candidate.simulated);
}

double percent_more(double value, double than) {
  return 100 * (value - than) / than;
}

namespace {

/// Whether each number is the one before, taken through `next`.
template <class Next>
bool follow(const std::vector<std::int64_t>& numbers, const Next& next) {
  constexpr std::size_t least = 4;  // fewer are listed
  return numbers.size() >= least &&
         std::ranges::adjacent_find(numbers, [&](std::int64_t one, std::int64_t other) {
           return other != next(one);
         }) == numbers.end();
}

/// "compute 2" is of the kind "compute".
std::string kind_of(const std::string& phase) {
  return phase.substr(0, phase.find(' '));
}

/// The time of all phases of a kind together.
double phase_s(const study::Answer& answer, const std::string& kind) {
  double time_s = 0;
  for (const auto& [name, phase_time_s] : answer.phases_s)
    if (kind_of(name) == kind) time_s += phase_time_s;
  return time_s;
}

/// The kind of phase whose simulated times differ most between the two answers.
std::string most_different_phase(const study::Answer& a, const study::Answer& b) {
  std::string most;
  double difference_s = -1;
  for (const study::Answer* answer : {&a, &b}) {
    for (const auto& [name, time_s] : answer->phases_s) {
      const double here_s = std::abs(phase_s(a, kind_of(name)) - phase_s(b, kind_of(name)));
      if (here_s <= difference_s) continue;
      difference_s = here_s;
      most = kind_of(name);
    }
  }
  return most;
}

/// How sure it is that the first of two is faster; empty where other things than time count.
std::string how_sure(const Candidate& first, const Candidate& second, const TuneAnswer& answer) {
  if (first.judge.objective != Objective::time) return "";
  const auto waits_in_turn = [](const Run& run) {
    return run.transfer != Transfer::two_sided && run.completion == Completion::each;
  };
  std::optional<double> chance;
  if (first.point->platform == second.point->platform)
    chance = answer::chance_of_being_right(
        {.slower_over_faster = value_of(second) / value_of(first),
         .in_turn = waits_in_turn(first.point->run) || waits_in_turn(second.point->run)},
        answer.inputs.platforms[first.point->platform].platform.costs);
  return chance ? fmt::format(" Of 100 such decisions on the testbed, {:.0f} were right (docs/intervals.md).",
                              100 * *chance)
                : " How often such a decision is right was not measured on this kind of network.";
}

std::string why_second(const Candidate& first, const Candidate& second) {
  constexpr double too_little_percent = 1;  // below the precision of the simulation and of the closed form
  const double more_percent = percent_more(value_of(second), value_of(first));
  const Objective objective = first.judge.objective;
  const std::string more = objective == Objective::time
                               ? fmt::format("is {:.1f} % slower", more_percent)
                               : fmt::format("needs {:.1f} % more {}", more_percent, unit_of(objective));
  const std::string phase = most_different_phase(first.simulated, second.simulated);
  return fmt::format(
      "Second {}{}. Most different is {}: {:.4g} s there, {:.4g} s in the first (each phase's "
      "time is its slowest rank's, and those of one kind are added, so it can be longer than the run).",
      more, more_percent < too_little_percent ? ", too little to choose by" : "", phase,
      phase_s(second.simulated, phase), phase_s(first.simulated, phase));
}

/// @param ranked  all simulated
std::string cheapest(const std::vector<Candidate>& ranked, double within_percent) {
  const double best_s = *ranked.front().simulated.total_s;
  const auto of_all = std::ranges::min_element(ranked, {}, node_hours);
  auto of_those = ranked.begin();
  for (auto one = ranked.begin(); one != ranked.end(); ++one)
    if (percent_more(*one->simulated.total_s, best_s) <= within_percent &&
        node_hours(*one) < node_hours(*of_those))
      of_those = one;
  return fmt::format(
      "Fewest node-hours: number {} ({:.3g}, {:.2f} times the first's seconds). Of those within {:g} % of "
      "the "
      "first: number {} ({:.3g}).",
      of_all - ranked.begin() + 1, node_hours(*of_all), *of_all->simulated.total_s / best_s, within_percent,
      of_those - ranked.begin() + 1, node_hours(*of_those));
}

std::vector<std::string> declared_numbers(const TuneAnswer& answer) {
  if (answer.numbers.empty())
    return {
        "Numbers of the platform that nobody measured: there are none, or there was no time or memory to try "
        "them."};
  std::vector<std::string> notes;
  for (const auto& [number, winner] : other_winners(answer.numbers)) {
    notes.push_back(
        fmt::format("The answer depends on a number that is declared, not measured: with {} on {}, number {} "
                    "wins ({:.4g} {}; the first takes {:.4g} {}).",
                    number->text, answer.study.platforms[number->platform].stem().string(), winner + 1,
                    *number->values[winner], unit_of(answer.objective), number->values[0].value_or(0),
                    unit_of(answer.objective)));
  }
  if (notes.empty()) {
    notes.push_back(fmt::format(
        "No declared number makes another of the first {1} win when it is multiplied or divided by {0:g}.",
        declared_margin, answer.numbers.front().values.size()));
  }
  std::vector<std::string> names;
  for (const NumberTried& number : answer.numbers) {
    const std::string name = number.text.substr(0, number.text.find(' '));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  notes.push_back(fmt::format("Declared, and tried by simulating the first {} with each: {}.",
                              answer.numbers.front().values.size(), fmt::join(names, ", ")));
  return notes;
}

/// Why the search stopped, and what was not simulated.
std::string search_note(const TuneAnswer& answer, const std::optional<double>& budget_s) {
  const SearchReport& search = answer.search;
  const std::string did = fmt::format(
      "{} ways to run it: {} simulated for a few iterations, {} of them for all; {} not simulated.",
      search.candidates - search.impossible, search.screened, search.simulated,
      search.candidates - search.impossible - search.screened);
  if (search.could_still_win > 0)
    return fmt::format(
        "{} Stopped because the time was up (--budget {:g}s): {} of the others could still win.", did,
        budget_s.value_or(0), search.could_still_win);
  if (search.screened == search.candidates && search.simulated == search.candidates) return did;
  return did +
         " Stopped because none of the others could win, even if it were as far off its closed form, or its "
         "few iterations, as the search allows for (docs/tune.md).";
}

/// On which nodes of what each platform has, and why not on more.
std::vector<std::string> nodes_notes(const TuneAnswer& answer) {
  std::vector<std::string> notes;
  const std::size_t platforms = answer.nodes_tried.size();
  std::vector<std::string> tried;
  bool any_more = false;
  for (std::size_t i = 0; i < platforms; ++i) {
    const study::ChangedPlatform& changed = answer.inputs.platforms[i];
    if (answer.nodes_tried[i].empty()) continue;
    tried.push_back(fmt::format("{} of {} on {}", numbers_text(answer.nodes_tried[i]), changed.hosts,
                                changed.platform.name));
    any_more = any_more || answer.nodes_tried[i].back() < changed.hosts;
  }
  if (platforms > 1) notes.push_back(fmt::format("Nodes tried: {}.", fmt::join(tried, "; ")));
  if (!any_more) return notes;
  if (answer.nodes_were_given) {
    notes.emplace_back("Other numbers of nodes were not tried, because --nodes gives these.");
  } else if (answer.search.more_nodes_left_out) {
    notes.emplace_back("The time was up while more nodes still gained: more may be faster.");
  } else {
    notes.emplace_back(
        "More nodes were not tried, because the most that were tried gain nothing over fewer (--nodes tries "
        "others).");
  }
  return notes;
}

/// Programs and parameters that were not tried.
std::vector<std::string> left_out_notes(const TuneAnswer& answer) {
  std::vector<std::string> notes;
  if (!answer.policies_left_out.empty())
    notes.push_back(fmt::format("Programs that are only tried if --policy names them: {}.",
                                fmt::join(answer.policies_left_out, ", ")));
  if (!answer.numbers_kept.empty())
    notes.push_back(fmt::format("Only tried with other values if a flag of that name gives them: {}.",
                                fmt::join(answer.numbers_kept, ", ")));
  return notes;
}

}  // namespace

std::string numbers_text(const std::vector<std::int64_t>& numbers) {
  constexpr std::size_t most_listed = 8;
  if (numbers.empty()) return "none";
  if (follow(numbers, [](std::int64_t one) { return one + 1; }))
    return fmt::format("{} to {}", numbers.front(), numbers.back());
  if (follow(numbers, [](std::int64_t one) { return 2 * one; }))
    return fmt::format("{}, {}, ... {}", numbers[0], numbers[1], numbers.back());
  if (numbers.size() > most_listed)
    return fmt::format("{} numbers from {} to {}", numbers.size(), numbers.front(), numbers.back());
  if (numbers.size() == 1) return fmt::format("{}", numbers.front());
  const std::vector<std::int64_t> but_last(numbers.begin(), numbers.end() - 1);
  return fmt::format("{} and {}", fmt::join(but_last, ", "), numbers.back());
}

std::vector<std::string> tune_notes(const TuneAnswer& answer, const std::optional<double>& budget_s,
                                    double within_percent) {
  std::vector<std::string> notes{search_note(answer, budget_s)};
  const auto add = [&](std::vector<std::string> more) { std::ranges::move(more, std::back_inserter(notes)); };
  if (answer.search.interrupted > 0) {
    notes.push_back(fmt::format(
        "{} of them {} killed, or got no memory, twice: not counted as simulated, and not ranked. Use a "
        "smaller -j.",
        answer.search.interrupted, answer.search.interrupted == 1 ? "was" : "were"));
  }
  if (const std::size_t cannot = answer.cannot_run + answer.search.impossible; cannot > 0) {
    notes.push_back(fmt::format("{} {} cannot run. The first reasons: {}.", cannot,
                                cannot == 1 ? "other" : "others", fmt::join(answer.why_cannot, "; ")));
  }
  add(nodes_notes(answer));
  add(left_out_notes(answer));
  std::vector<Run> runs;
  for (const Candidate& finalist : answer.finalists)
    runs.push_back(finalist.point->run);
  add(policy::idle_ranks_notes(runs));
  if (answer.finalists.size() > 1)
    notes.push_back(why_second(answer.finalists[0], answer.finalists[1]) +
                    how_sure(answer.finalists[0], answer.finalists[1], answer));
  notes.push_back(cheapest(answer.finalists, within_percent));
  add(declared_numbers(answer));
  return notes;
}

}  // namespace finegrain::tune
