// SPDX-License-Identifier: MIT
#include "sim/tune/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "sim/tune/screening.hpp"

namespace finegrain::tune {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t least_screening_batch = 64;
constexpr std::size_t most_screening_batches = 8;
/// A relative difference that is too small to choose by.
constexpr double too_little = 0.005;
/// With barriers, the mean of all iterations differs at most by this, relative, from one iteration.
constexpr double error_with_barriers = 0.002;
/// Times that differ by less than this, relative, count as equal.
constexpr double equal = 0.001;
constexpr std::size_t final_batch = 2;

/// Without barriers, how far the times from a few and from some iterations may be from that of all of them.
/// The numbers were found on the combinations of bench_tune for which the search was developed. Ranks that
/// exchange messages with few others take long to reach their pace.
struct Pace {
  double faster_than_few;  ///< how much faster all may be than a few, relative
  /// How many times the change from a few to some iterations (as a logarithm) may still follow.
  double change_to_come;
};
constexpr double few_messages = 8;  ///< that a rank sends in an iteration
constexpr Pace pace_with_few_messages{0.4, 6};
constexpr Pace pace_with_many_messages{0.15, 1};
constexpr double error_of_some = 0.02;  ///< relative, if nothing changed any more

bool was_simulated(const study::Answer& answer) {
  return answer.total_s.has_value();
}

const Pace& pace(const Candidate& candidate) {
  return candidate.messages_per_rank <= few_messages ? pace_with_few_messages : pace_with_many_messages;
}

bool has_failed(const study::Answer& answer) {
  return !answer.none_because.empty();
}

/// Seconds per iteration after the first few, for a candidate that was simulated for some.
double later_iteration_s(const Candidate& candidate) {
  const Run& run = candidate.point->run;
  const auto few = static_cast<double>(iterations_at(Depth::few, run));
  const auto some = static_cast<double>(iterations_at(Depth::some, run));
  const auto all = static_cast<double>(run.iterations);
  const double few_cost = *candidate.cost(candidate.screened);
  if (some <= few) return few_cost / all;
  return (*candidate.cost(candidate.longer) * some - few_cost * few) / all / (some - few);
}

/// How long all iterations are expected to take, and how long at least.
struct Outlook {
  double estimate_s = 0;
  double least_s = 0;
};

/// @pre was screened
Outlook outlook(const Candidate& candidate) {
  const double few_s = *candidate.cost(candidate.screened);
  if (has_barriers(candidate.point->run)) return {few_s, few_s * (1 - error_with_barriers)};
  const Pace& to_come = pace(candidate);
  if (!candidate.longer.total_s) return {few_s, few_s * (1 - to_come.faster_than_few)};
  const auto all = static_cast<double>(candidate.point->run.iterations);
  const auto some = static_cast<double>(iterations_at(Depth::some, candidate.point->run));
  const double later_s =
      *candidate.cost(candidate.longer) * some / all + later_iteration_s(candidate) * (all - some);
  const double change = std::min(1.0, later_s / few_s);
  return {later_s * change, later_s * std::pow(change, to_come.change_to_come) * (1 - error_of_some)};
}

/// Chooses one candidate from those that differ only in placement and in when they complete messages, and
/// whose simulations are equal: the first one whose simulation did not fail.
class Representatives {
 public:
  /// @param value_s  the simulated time that is compared
  /// @returns whether the candidate represents itself, because no equal one was added before
  bool add(const Candidate& candidate, double value_s) {
    const study::StudyPoint& point = *candidate.point;
    std::vector<double>& values_s =
        values_s_[{point.platform, point.position(study::Axis::problem),
                   point.position(study::Axis::settings), point.run.ranks, point.run.ranks_per_node,
                   point.run.policy, point.run.policy_settings, point.run.transfer}];
    const auto is_equal = [&](double other_s) { return std::abs(value_s / other_s - 1) < equal; };
    if (std::ranges::any_of(values_s, is_equal)) return false;
    values_s.push_back(value_s);
    return true;
  }

 private:
  using Key = std::tuple<std::size_t, std::size_t, std::size_t, int, int, std::string, Settings, Transfer>;
  std::map<Key, std::vector<double>> values_s_;
};

/// Chooses the candidates without barriers that could win, to simulate some more of their iterations.
class Halving {
 public:
  explicit Halving(std::vector<Candidate>& candidates) : candidates_(candidates) {}

  std::vector<Candidate*> first() { return first_of(queue(), candidates_.size()); }

  Queue queue() {
    const double best_s = least_s(candidates_, &Candidate::screened);
    Representatives representatives;
    Queue queue;
    for (Candidate& candidate : candidates_) {
      if (!candidate.screened.total_s || has_barriers(candidate.point->run) || has_failed(candidate.longer))
        continue;
      const double few_s = *candidate.cost(candidate.screened);
      if (few_s * (1 - pace(candidate).faster_than_few) >= best_s) continue;
      if (representatives.add(candidate, few_s) && is_open(candidate.longer))
        queue.emplace_back(few_s, &candidate);
    }
    return queue;
  }

 private:
  std::vector<Candidate>& candidates_;
};

class Finals {
 public:
  explicit Finals(std::vector<Candidate>& candidates) : candidates_(candidates) {}

  /// The candidate with the least estimate.
  std::vector<Candidate*> first() { return first_of(queue(), 1); }

  /// The candidates that are not simulated in full yet and could win.
  Queue queue() {
    const double best_s = least_known_s();
    const double best_in_full_s = least_s(candidates_, &Candidate::simulated);
    Queue queue = others();
    std::erase_if(queue, [&](const std::pair<double, Candidate*>& other) {
      const double to_beat_s = has_barriers(other.second->point->run) ? best_in_full_s : best_s;
      return outlook(*other.second).least_s >= to_beat_s * (1 - too_little);
    });
    return queue;
  }

  /// The candidates that are not simulated in full yet and can be.
  Queue others() {
    Representatives of_few;
    Representatives of_some;
    Queue others;
    for (Candidate& candidate : candidates_) {
      if (!candidate.screened.total_s || has_failed(candidate.longer) || has_failed(candidate.simulated))
        continue;
      if (!has_barriers(candidate.point->run) && !of_few.add(candidate, *candidate.cost(candidate.screened)))
        continue;
      if (candidate.longer.total_s && !of_some.add(candidate, later_iteration_s(candidate))) continue;
      if (is_open(candidate.simulated)) others.emplace_back(outlook(candidate).estimate_s, &candidate);
    }
    return others;
  }

 private:
  /// The least time of the candidates simulated in full, and of those with barriers, for which a few
  /// iterations are enough.
  double least_known_s() const {
    double least = least_s(candidates_, &Candidate::simulated);
    for (const Candidate& candidate : candidates_)
      if (has_barriers(candidate.point->run) && candidate.screened.total_s &&
          !has_failed(candidate.simulated))
        least = std::min(least, *candidate.cost(candidate.screened) * (1 + too_little));
    return least;
  }

  std::vector<Candidate>& candidates_;
};

}  // namespace

std::int64_t iterations_at(Depth depth, const Run& run) {
  const std::int64_t few = has_barriers(run) ? 1 : 4;
  return depth == Depth::all ? run.iterations : std::min(depth == Depth::few ? few : 4 * few, run.iterations);
}

SearchReport search(std::vector<Candidate>& candidates, const Simulate& simulate, std::size_t least_in_full,
                    const MoreNodes& more) {
  SearchReport report;
  const std::size_t screening_batch =
      std::max(least_screening_batch, candidates.size() / most_screening_batches);
  report.could_still_win = simulate_rounds(Screening(candidates), Depth::few, screening_batch, simulate);
  report.more_nodes_left_out = !try_more_nodes(candidates, more, simulate);
  report.candidates = candidates.size();
  simulate_rounds(Halving(candidates), Depth::some, candidates.size(), simulate);
  report.could_still_win += simulate_rounds(Finals(candidates), Depth::all, final_batch, simulate);
  const auto in_full = static_cast<std::size_t>(std::ranges::count_if(
      candidates, [](const Candidate& candidate) { return candidate.simulated.total_s.has_value(); }));
  if (in_full < least_in_full)
    simulate(first_of(Finals(candidates).others(), least_in_full - in_full), Depth::all);
  for (const Candidate& candidate : candidates) {
    report.screened += was_simulated(candidate.screened) ? 1 : 0;
    report.simulated += was_simulated(candidate.simulated) ? 1 : 0;
    report.impossible += has_failed(candidate.screened) && !candidate.screened.interrupted ? 1 : 0;
    report.interrupted +=
        candidate.screened.interrupted || candidate.longer.interrupted || candidate.simulated.interrupted ? 1
                                                                                                          : 0;
  }
  return report;
}

}  // namespace finegrain::tune
