// SPDX-License-Identifier: MIT
#include "sim/tune/finalists.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

namespace finegrain {
namespace {

/// Platform, number of nodes and of ranks a node.
std::array<std::size_t, 3> size_of(const StudyPoint& point) {
  return {point.machine, point.position(Axis::ranks), point.position(Axis::ranks_per_node)};
}

/// Apart from the placement of ranks on nodes.
bool alike(const StudyPoint& a, const StudyPoint& b) {
  auto positions = a.positions;
  positions[static_cast<std::size_t>(Axis::placement)] = b.position(Axis::placement);
  return positions == b.positions;
}

double closed_form_s(const Candidate& candidate) {
  return *candidate.closed_form.total_s;
}

/// The least closed form of every group, the least first; of equals the first.
template <class Group>
std::vector<Candidate> best_of_each(const std::vector<Candidate>& candidates, const Group& group) {
  std::map<std::invoke_result_t<Group, const StudyPoint&>, Candidate> best;
  for (const Candidate& candidate : candidates) {
    if (!candidate.closed_form.total_s) continue;
    const auto [place, is_new] = best.try_emplace(group(*candidate.point), candidate);
    if (!is_new && closed_form_s(candidate) < closed_form_s(place->second)) place->second = candidate;
  }
  std::vector<Candidate> sorted;
  for (auto& [key, candidate] : best)
    sorted.push_back(std::move(candidate));
  std::ranges::stable_sort(sorted, [](const Candidate& a, const Candidate& b) {
    return std::pair(closed_form_s(a), a.point->number) < std::pair(closed_form_s(b), b.point->number);
  });
  return sorted;
}

/// Of the candidates that are wanted, the best of each value of an axis, without those simulated.
template <class Wanted>
std::vector<Candidate> best_others(const std::vector<Candidate>& screened,
                                   const std::vector<Candidate>& simulated, Axis axis, std::size_t most,
                                   const Wanted& wanted) {
  std::vector<Candidate> others;
  std::ranges::copy_if(screened, std::back_inserter(others),
                       [&](const Candidate& candidate) { return wanted(*candidate.point); });
  others = best_of_each(others, [&](const StudyPoint& point) { return point.position(axis); });
  std::erase_if(others, [&](const Candidate& candidate) {
    return std::ranges::any_of(simulated,
                               [&](const Candidate& known) { return alike(*known.point, *candidate.point); });
  });
  others.resize(std::min(others.size(), most));
  return others;
}

}  // namespace

std::vector<Candidate> best_of_each_size(const std::vector<Candidate>& screened, std::size_t most) {
  std::vector<Candidate> best = best_of_each(screened, size_of);
  best.resize(std::min(best.size(), most));
  return best;
}

std::vector<Candidate> best_of_each_program(const std::vector<Candidate>& screened,
                                            const std::vector<Candidate>& simulated, std::size_t most) {
  const StudyPoint& first = *simulated.front().point;
  return best_others(screened, simulated, Axis::policy, most,
                     [&](const StudyPoint& point) { return size_of(point) == size_of(first); });
}

std::vector<Candidate> best_of_each_block_size(const std::vector<Candidate>& screened,
                                               const std::vector<Candidate>& simulated, std::size_t most) {
  const StudyPoint& first = *simulated.front().point;
  return best_others(screened, simulated, Axis::block_size, most, [&](const StudyPoint& point) {
    return size_of(point) == size_of(first) && point.position(Axis::policy) == first.position(Axis::policy);
  });
}

void rank(std::vector<Candidate>& candidates) {
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
    constexpr double never = std::numeric_limits<double>::infinity();
    return std::pair(a.simulated.total_s.value_or(never), a.point->number) <
           std::pair(b.simulated.total_s.value_or(never), b.point->number);
  });
}

}  // namespace finegrain
