// SPDX-License-Identifier: MIT
#include "traces/scaling/where.hpp"

#include <algorithm>

namespace finegrain::scaling {

Where Where::in(const StepOf& step) const {
  Where inner = *this;
  std::shift_right(inner.loops.begin(), inner.loops.end(), 1);
  inner.loops[0] = step;
  inner.depth = std::min(depth + 1, most_loops);
  return inner;
}

Where Where::towards(std::int64_t other) const {
  Where where = *this;
  where.ways = 0;
  if (other < 0 || other >= ranks()) return where;
  const std::vector<int> place = grid().place_of(static_cast<int>(other));
  for (std::size_t d = 0; d < place.size(); ++d)
    if (place[d] != at->place[d]) where.ways |= 1U << d;
  return where;
}

InGroup in_group(const Where& where, int dimension) {
  if (dimension == all_ranks) return {where.rank(), where.ranks()};
  const auto d = static_cast<std::size_t>(dimension);
  return {where.at->place[d], where.grid().sides()[d]};
}

std::optional<std::int64_t> rank_in_group(const Where& where, int dimension, std::int64_t number) {
  if (number < 0 || number >= in_group(where, dimension).size) return std::nullopt;
  if (dimension == all_ranks) return number;
  std::vector<int> place = where.at->place;
  place[static_cast<std::size_t>(dimension)] = static_cast<int>(number);
  return where.grid().rank_at(place);
}

std::vector<int> groups_of(const Where& where) {
  std::vector<int> groups{all_ranks};
  for (int d = 0; d < where.grid().dimensions() && where.grid().dimensions() > 1; ++d)
    groups.push_back(d);
  return groups;
}

bool fits(const Value& value, std::span<const Sample> samples) {
  return std::ranges::all_of(samples,
                             [&](const Sample& sample) { return value(*sample.where) == sample.value; });
}

Answer answer(std::span<const Rule> rules, const Where& where, bool may_be_silent) {
  Answer answer;
  if (rules.empty()) return answer;
  const int tier = std::ranges::min_element(rules, {}, &Rule::tier)->tier;
  bool silent = false;
  for (const Rule& rule : rules) {
    if (rule.tier != tier) continue;
    const std::optional<std::int64_t> value = rule.value(where);
    silent = silent || !value;
    if (value && answer.value && *value != *answer.value) answer.disagree = true;
    if (value && !answer.value) answer.value = value;
  }
  if (silent && !may_be_silent && answer.value) answer.disagree = true;
  for (const Rule& rule : rules)
    if (rule.tier != tier && rule.value(where) != answer.value) answer.other = &rule;
  return answer;
}

}  // namespace finegrain::scaling
