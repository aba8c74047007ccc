// SPDX-License-Identifier: MIT
#include "sim/tune/screening.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <type_traits>

namespace finegrain::tune {
namespace {

/// The factor by which simulation / closed form may differ from that of the most similar candidate.
constexpr double margin = 3;
/// The same factor, if the difference() to the most similar candidate is below `nearly_alike`.
constexpr double margin_of_nearly_alike = 1.5;
constexpr double nearly_alike = 0.5;

/// How much the communication of two candidates differs; 0 if it is alike. The platform counts most, then the
/// policy, the matrix, and the number of ranks.
double difference(const study::StudyPoint& a, const study::StudyPoint& b) {
  const auto twofold = [](std::int64_t x, std::int64_t y) {
    return std::abs(std::log2(static_cast<double>(x) / static_cast<double>(y)));
  };
  const auto block_size = [](const study::StudyPoint& point) { return block_size_of(point.run); };
  const auto differ = [](bool different, double by) { return different ? by : 0; };
  return differ(a.platform != b.platform, 64) +
         differ(a.run.policy != b.run.policy || has_barriers(a.run) != has_barriers(b.run), 16) +
         differ(a.position(study::Axis::problem) != b.position(study::Axis::problem), 8) +
         4 * twofold(a.run.ranks, b.run.ranks) + 4 * twofold(a.run.ranks_per_node, b.run.ranks_per_node) +
         differ(a.placement != b.placement, 2) +
         differ(a.position(study::Axis::policy) != b.position(study::Axis::policy), 1) +
         std::min(4.0, twofold(block_size(a), block_size(b)));
}

/// A group's key: platform, matrix, and the program without its settings.
auto program_of(const study::StudyPoint& point) {
  return std::tuple(point.platform, point.position(study::Axis::problem), point.run.policy,
                    point.run.transfer, point.run.completion);
}

/// Adds the candidate with the least `value` of each group; of equals the first.
template <class Group>
void add_best_of_each(std::vector<Candidate>& candidates, study::Answer Candidate::*value, const Group& group,
                      std::vector<Candidate*>& chosen) {
  std::map<std::invoke_result_t<Group, const study::StudyPoint&>, Candidate*> best;
  for (Candidate& candidate : candidates) {
    const std::optional<double> cost = candidate.cost(candidate.*value);
    if (!cost) continue;
    Candidate*& place = best.try_emplace(group(*candidate.point), &candidate).first->second;
    if (*cost < *place->cost(place->*value)) place = &candidate;
  }
  for (const auto& [key, candidate] : best)
    if (std::ranges::find(chosen, candidate) == chosen.end()) chosen.push_back(candidate);
}

}  // namespace

Screening::Screening(std::vector<Candidate>& candidates)
    : candidates_(candidates), learned_(candidates.size()), similar_(candidates.size()), twins_(candidates) {}

std::vector<Candidate*> Screening::first() {
  std::vector<Candidate*> first;
  add_best_of_each(
      candidates_, &Candidate::closed_form,
      [](const study::StudyPoint& point) {
        return std::tuple_cat(program_of(point),
                              std::tuple(point.run.ranks, point.run.ranks_per_node, point.placement));
      },
      first);
  add_twins(first);
  for (Candidate& candidate : candidates_)
    if (!candidate.closed_form.total_s) first.push_back(&candidate);
  return first;
}

/// Adds the twins of one of the chosen for each program and number of ranks: of the one with the least closed
/// form.
void Screening::add_twins(std::vector<Candidate*>& first) const {
  std::map<decltype(std::tuple_cat(program_of(study::StudyPoint()), std::tuple(0))), Candidate*> best;
  for (Candidate* candidate : first) {
    const study::StudyPoint& point = *candidate->point;
    Candidate*& place =
        best.try_emplace(std::tuple_cat(program_of(point), std::tuple(point.run.ranks)), candidate)
            .first->second;
    if (*candidate->cost(candidate->closed_form) < *place->cost(place->closed_form)) place = candidate;
  }
  for (const auto& [key, candidate] : best)
    for (const std::size_t twin : twins_.of(static_cast<std::size_t>(candidate - candidates_.data())))
      if (candidates_[twin].closed_form.total_s &&
          std::ranges::find(first, &candidates_[twin]) == first.end())
        first.push_back(&candidates_[twin]);
}

Queue Screening::queue() {
  learn();
  const double best_s = least_s(candidates_, &Candidate::screened);
  Queue queue;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    Candidate& candidate = candidates_[i];
    if (!is_open(candidate.screened)) continue;
    const double closed_form_s = candidate.cost(candidate.closed_form).value_or(0);
    const double estimate_s = closed_form_s * similar_[i].ratio;
    const double off = similar_[i].difference < nearly_alike ? margin_of_nearly_alike : margin;
    if (twins_.least_s(i).value_or(estimate_s / off) >= best_s) continue;
    queue.emplace_back(estimate_s, &candidate);
  }
  return queue;
}

void Screening::learn() {
  twins_.learn();
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const Candidate& known = candidates_[i];
    if (learned_[i] || !known.screened.total_s || !known.closed_form.total_s) continue;
    learned_[i] = true;
    const double ratio = *known.cost(known.screened) / *known.cost(known.closed_form);
    for (std::size_t other = 0; other < candidates_.size(); ++other) {
      if (!is_open(candidates_[other].screened)) continue;
      const double here = difference(*candidates_[other].point, *known.point);
      if (here < similar_[other].difference) similar_[other] = {here, ratio};
    }
  }
}

}  // namespace finegrain::tune
