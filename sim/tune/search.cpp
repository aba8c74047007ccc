// SPDX-License-Identifier: MIT
#include "sim/tune/search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace finegrain {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// How far the ratio of simulation to closed form may be off the one of the most similar candidate.
constexpr double margin = 3;
/// Differences that are too small to choose by.
constexpr double too_little = 0.005;
/// What a few iterations are off at least, relative: without barriers, ranks run ahead until they are held.
constexpr std::array<double, 2> least_error{0.05, too_little};  // without and with barriers
constexpr std::size_t least_screening_batch = 32;
constexpr std::size_t most_screening_batches = 16;
constexpr std::size_t batch = 4;

bool has_barriers(const Run& run) {
  return run.transfer != Transfer::two_sided;
}

/// How alike two candidates' communication is: the less, the more. Apart from the matrix and the platform,
/// the policy decides most, then how many ranks there are.
double difference(const StudyPoint& a, const StudyPoint& b) {
  const auto twofold = [](std::int64_t x, std::int64_t y) {
    return std::abs(std::log2(static_cast<double>(x) / static_cast<double>(y)));
  };
  const auto block_size = [](const StudyPoint& point) {
    return std::get<SpmvProblem>(point.run.problem).block_size;
  };
  const auto differ = [](bool different, double by) { return different ? by : 0; };
  return differ(a.machine != b.machine, 64) +
         differ(a.run.policy != b.run.policy || has_barriers(a.run) != has_barriers(b.run), 16) +
         differ(a.position(Axis::problem) != b.position(Axis::problem), 8) +
         4 * twofold(a.run.ranks, b.run.ranks) + 4 * twofold(a.run.ranks_per_node, b.run.ranks_per_node) +
         differ(a.placement != b.placement, 2) +
         differ(a.position(Axis::policy) != b.position(Axis::policy), 1) +
         std::min(4.0, twofold(block_size(a), block_size(b)));
}

/// The most similar of `known`, itself not; of equals the first.
const Candidate* most_similar(const Candidate& to, const std::vector<Candidate*>& known) {
  const Candidate* most = nullptr;
  double least = infinite;
  for (const Candidate* candidate : known) {
    if (candidate == &to) continue;
    const double here = difference(*to.point, *candidate->point);
    if (here >= least) continue;
    least = here;
    most = candidate;
  }
  return most;
}

double least_s(const std::vector<Candidate>& candidates, Answer Candidate::*answer) {
  double least = infinite;
  for (const Candidate& candidate : candidates)
    least = std::min(least, (candidate.*answer).total_s.value_or(infinite));
  return least;
}

bool is_open(const Answer& answer) {
  return !answer.total_s && answer.none_because.empty();
}

bool was_simulated(const Answer& answer) {
  return !is_open(answer) && !answer.interrupted;
}

/// The least `value` of each group; of equals the first.
template <class Group>
void add_best_of_each(std::vector<Candidate>& candidates, Answer Candidate::*value, const Group& group,
                      std::vector<Candidate*>& chosen) {
  std::map<std::invoke_result_t<Group, const StudyPoint&>, Candidate*> best;
  for (Candidate& candidate : candidates) {
    if (!(candidate.*value).total_s) continue;
    Candidate*& place = best.try_emplace(group(*candidate.point), &candidate).first->second;
    if (*(candidate.*value).total_s < *(place->*value).total_s) place = &candidate;
  }
  for (const auto& [key, candidate] : best)
    if (std::ranges::find(chosen, candidate) == chosen.end()) chosen.push_back(candidate);
}

/// Those that could win, the least estimate first.
using Queue = std::vector<std::pair<double, Candidate*>>;

std::vector<Candidate*> first_of(Queue queue, std::size_t most) {
  std::ranges::stable_sort(queue, {}, &std::pair<double, Candidate*>::first);
  std::vector<Candidate*> first;
  for (std::size_t i = 0; i < std::min(queue.size(), most); ++i)
    first.push_back(queue[i].second);
  return first;
}

class Screening {
 public:
  explicit Screening(std::vector<Candidate>& candidates)
      : candidates_(candidates), learned_(candidates.size()), similar_(candidates.size()) {}

  std::vector<Candidate*> first() {
    std::vector<Candidate*> first;
    add_best_of_each(
        candidates_, &Candidate::closed_form,
        [](const StudyPoint& point) {
          return std::tuple(point.machine, point.position(Axis::problem), point.position(Axis::policy),
                            point.run.ranks, point.run.ranks_per_node, point.placement);
        },
        first);
    for (Candidate& candidate : candidates_)
      if (!candidate.closed_form.total_s) first.push_back(&candidate);
    return first;
  }

  /// Of those not screened, who could win.
  Queue queue() {
    learn();
    const double best_s = least_s(candidates_, &Candidate::screened);
    Queue queue;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      Candidate& candidate = candidates_[i];
      if (!is_open(candidate.screened)) continue;
      const double closed_form_s = candidate.closed_form.total_s.value_or(0);
      const double estimate_s = closed_form_s * similar_[i].ratio;
      if (estimate_s / margin >= best_s) continue;
      queue.emplace_back(estimate_s, &candidate);
    }
    return queue;
  }

 private:
  /// Simulation over closed form of the most similar candidate that is known.
  struct Similar {
    double difference = infinite;
    double ratio = 1;
  };

  /// Takes in what has become known since the last time.
  void learn() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate& known = candidates_[i];
      if (learned_[i] || !known.screened.total_s || !known.closed_form.total_s) continue;
      learned_[i] = true;
      const double ratio = *known.screened.total_s / *known.closed_form.total_s;
      for (std::size_t other = 0; other < candidates_.size(); ++other) {
        if (!is_open(candidates_[other].screened)) continue;
        const double here = difference(*candidates_[other].point, *known.point);
        if (here < similar_[other].difference) similar_[other] = {here, ratio};
      }
    }
  }

  std::vector<Candidate>& candidates_;
  std::vector<bool> learned_;     ///< shape [candidates]
  std::vector<Similar> similar_;  ///< shape [candidates]
};

class Finals {
 public:
  explicit Finals(std::vector<Candidate>& candidates) : candidates_(candidates) {}

  std::vector<Candidate*> first() {
    std::vector<Candidate*> first;
    add_best_of_each(
        candidates_, &Candidate::screened,
        [](const StudyPoint& point) {
          return std::tuple(point.machine, point.run.ranks, point.run.ranks_per_node);
        },
        first);
    std::vector<Candidate*> of_each_placement;
    add_best_of_each(
        candidates_, &Candidate::screened,
        [](const StudyPoint& point) {
          const bool barriers = has_barriers(point.run);
          return std::tuple(barriers, point.placement, barriers ? 0 : point.run.ranks,
                            barriers ? 0 : point.run.ranks_per_node);
        },
        of_each_placement);
    // One that is twice as slow teaches little of those that could win.
    const double best_s = least_s(candidates_, &Candidate::screened);
    for (Candidate* candidate : of_each_placement)
      if (*candidate->screened.total_s < 2 * best_s && std::ranges::find(first, candidate) == first.end())
        first.push_back(candidate);
    return first;
  }

  /// Of those screened only, who could win.
  Queue queue() {
    const double best_s = least_s(candidates_, &Candidate::simulated);
    std::array<std::vector<Candidate*>, 2> known;
    for (Candidate& candidate : candidates_)
      if (candidate.simulated.total_s && candidate.screened.total_s)
        known[has_barriers(candidate.point->run) ? 1 : 0].push_back(&candidate);
    std::array<double, 2> error{};
    for (const std::size_t barriers : {0, 1}) {
      error[barriers] = least_error[barriers];
      for (const Candidate* candidate : known[barriers]) {
        const Candidate* similar = most_similar(*candidate, known[barriers]);
        if (similar != nullptr)
          error[barriers] =
              std::max(error[barriers], std::abs(std::log(ratio_of(*candidate) / ratio_of(*similar))));
      }
    }
    Queue queue;
    for (Candidate& candidate : candidates_) {
      if (!candidate.screened.total_s || !is_open(candidate.simulated)) continue;
      const std::size_t barriers = has_barriers(candidate.point->run) ? 1 : 0;
      const Candidate* similar = most_similar(candidate, known[barriers]);
      const double estimate_s = *candidate.screened.total_s * (similar == nullptr ? 1 : ratio_of(*similar));
      if (estimate_s * std::exp(-error[barriers]) < best_s * (1 - too_little))
        queue.emplace_back(estimate_s, &candidate);
    }
    return queue;
  }

 private:
  static double ratio_of(const Candidate& candidate) {
    return *candidate.simulated.total_s / *candidate.screened.total_s;
  }

  std::vector<Candidate>& candidates_;
};

/// @returns how many could still win
template <class Round>
std::size_t simulate_rounds(Round round, Depth depth, std::size_t most, const Simulate& simulate) {
  std::vector<Candidate*> next = round.first();
  while (!next.empty() && simulate(next, depth))
    next = first_of(round.queue(), most);
  return next.empty() ? 0 : round.queue().size();
}

}  // namespace

std::int64_t few_iterations(const Run& run) {
  return has_barriers(run) ? 1 : 4;
}

SearchReport search(std::vector<Candidate>& candidates, const Simulate& simulate) {
  SearchReport report;
  report.candidates = candidates.size();
  const std::size_t screening_batch =
      std::max(least_screening_batch, candidates.size() / most_screening_batches);
  report.could_still_win = simulate_rounds(Screening(candidates), Depth::few, screening_batch, simulate);
  report.could_still_win += simulate_rounds(Finals(candidates), Depth::all, batch, simulate);
  for (const Candidate& candidate : candidates) {
    report.screened += was_simulated(candidate.screened) ? 1 : 0;
    report.simulated += was_simulated(candidate.simulated) ? 1 : 0;
    report.interrupted += candidate.screened.interrupted || candidate.simulated.interrupted ? 1 : 0;
  }
  return report;
}

}  // namespace finegrain
