// SPDX-License-Identifier: MIT
#include "traces/scaling/program_rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <variant>

namespace finegrain::scaling {
namespace {

template <class Value>
std::vector<Sample> samples_of(const std::vector<Origin>& origins, Value&& value) {
  std::vector<Sample> samples;
  for (const Origin& origin : origins)
    samples.push_back({origin.place, value(origin)});
  return samples;
}

/// @param of_peers  those of `origins` whose peers have one rule
std::vector<OperationRules> rules_of_operations(const std::vector<Origin>& origins,
                                                const std::vector<Origin>& of_peers, std::size_t part) {
  std::vector<OperationRules> rules;
  const auto& operations = (*origins.front().program)[part].call.operations;
  for (std::size_t o = 0; o < operations.size(); ++o) {
    OperationRules& own = rules.emplace_back();
    const auto fit = [&]<class Kind>(auto find, const std::vector<Origin>& from, auto Kind::*number) {
      std::vector<Rule> found;
      if (!from.empty())
        found = find(samples_of(from, [&](const Origin& origin) {
          return std::int64_t{std::get<Kind>((*origin.program)[part].call.operations[o]).*number};
        }));
      own.lacks_one = own.lacks_one || found.empty();
      return found;
    };
    if (std::holds_alternative<Post>(operations[o])) {
      own.peer = fit(peer_rules, of_peers, &Post::peer);
      own.size = fit(size_rules, origins, &Post::size_bytes);
      own.tag = fit(tag_rules, origins, &Post::tag);
    } else if (std::holds_alternative<Collective>(operations[o])) {
      own.peer = fit(peer_rules, of_peers, &Collective::root);
      own.size = fit(size_rules, origins, &Collective::size_bytes);
    } else if (std::holds_alternative<Complete>(operations[o])) {
      own.oldest = fit(count_rules, origins, &Complete::oldest);
      own.count = fit(count_rules, origins, &Complete::count);
    }
  }
  return rules;
}

WorkTimes work_times(const std::vector<Origin>& origins, std::size_t part) {
  WorkTimes times;
  for (const Origin& origin : origins) {
    std::vector<WorkTime>& of_steps = times[origin.place.grid->ranks()];
    const auto step = static_cast<std::size_t>(origin.place.step);
    if (of_steps.size() <= step) of_steps.resize(step + 1);
    of_steps[step].sum_ns += (*origin.program)[part].call.work_ns;
    ++of_steps[step].count;
  }
  return times;
}

/// Some of a loop's steps, counted in halves of all; `together` of them are one.
struct Steps {
  std::int64_t first_half = 0;
  std::int64_t last_half = 2;
  std::int64_t together = 1;

  std::int64_t start(const Part& loop) const { return loop.step_count * first_half / 2; }
  std::int64_t count(const Part& loop) const {
    return (loop.step_count * last_half / 2 - start(loop)) / together;
  }
};

bool has_all(const ProgramRules& rules) {
  return std::ranges::all_of(rules, [](const PartRules& part) {
    return std::ranges::all_of(part.steps, has_all) && (part.steps.empty() || !part.step_count.empty()) &&
           std::ranges::none_of(part.operations, &OperationRules::lacks_one);
  });
}

/// The rules of a loop. Where all recordings have as many steps, each step has its own; where the steps of
/// each recording are equal, there is one; otherwise the step is a part of the place.
/// @param origins  whose part it is
PartRules rules_of_loop(const std::vector<Origin>& origins, std::size_t part, const std::vector<int>* border,
                        const Steps& taken) {
  const auto loop = [part](const Origin& origin) -> const Part& { return (*origin.program)[part]; };
  PartRules rules{&loop(origins.front())};
  rules.step_count =
      count_rules(samples_of(origins, [&](const Origin& one) { return taken.count(loop(one)); }));
  const std::int64_t steps = rules.part->step_count;
  const bool equal =
      std::ranges::all_of(origins, [&](const Origin& one) { return loop(one).steps.size() == 1; });
  const bool as_many =
      std::ranges::all_of(origins, [&](const Origin& one) { return loop(one).step_count == steps; });
  const int ranks = origins.front().place.grid->ranks();
  rules.steps_known =
      !std::ranges::all_of(origins, [ranks](const Origin& one) { return one.place.grid->ranks() == ranks; });
  rules.by_step = !equal && !as_many;
  const auto add_rules = [&](const auto& program_of_step, std::vector<PartRules>& to) {
    std::vector<Origin> of_steps;
    for (const Origin& origin : origins) {
      const Place& place = origin.place;
      const std::int64_t count = rules.by_step ? taken.count(loop(origin)) : 1;
      for (std::int64_t s = 0; s < count; ++s)
        of_steps.push_back({rules.by_step ? Place{place.grid, place.rank, s, count} : place,
                            &program_of_step(loop(origin), s)});
    }
    std::ranges::move(rules_of(of_steps, border), std::back_inserter(to));
  };
  if (!rules.by_step) {
    for (std::int64_t step = 0; step < (equal ? 1 : steps); ++step)
      add_rules([step](const Part& one, std::int64_t) -> const Program& { return one.step(step); },
                rules.steps.emplace_back());
    return rules;
  }
  rules.steps.emplace_back();
  for (std::int64_t of_together = 0; of_together < taken.together; ++of_together)
    add_rules(
        [&](const Part& one, std::int64_t s) -> const Program& {
          return one.step(taken.start(one) + s * taken.together + of_together);
        },
        rules.steps[0]);
  return rules;
}

/// Where single steps have no rule, several may be one: to both sides, in each dimension. And they may be two
/// loops, one after the other: down the levels of a multigrid, and up again.
void add_rules_of_loop(ProgramRules& rules, const std::vector<Origin>& origins, std::size_t part,
                       const std::vector<int>* border) {
  rules.push_back(rules_of_loop(origins, part, border, {}));
  if (!rules.back().by_step || has_all(rules.back().steps[0])) return;
  for (const std::int64_t together : {1, 2, 3, 4, 6, 8}) {
    for (const std::int64_t loops : {1, 2}) {
      if (!std::ranges::all_of(origins, [&](const Origin& one) {
            return (*one.program)[part].step_count % (together * loops) == 0;
          }))
        continue;
      ProgramRules found;
      for (std::int64_t half = 0; half < 2; half += 2 / loops)
        found.push_back(rules_of_loop(origins, part, border, {half, half + 2 / loops, together}));
      if (!std::ranges::all_of(found, [](const PartRules& one) { return has_all(one.steps[0]); })) continue;
      rules.pop_back();
      std::ranges::move(found, std::back_inserter(rules));
      return;
    }
  }
}

}  // namespace

ProgramRules rules_of(const std::vector<Origin>& origins, const std::vector<int>* border) {
  std::vector<Origin> of_peers;
  for (const Origin& origin : origins)
    if (border == nullptr || origin.place.grid->border_of(origin.place.rank) == *border)
      of_peers.push_back(origin);
  ProgramRules rules;
  const Program& first = *origins.front().program;
  for (std::size_t p = 0; p < first.size(); ++p) {
    if (first[p].is_loop())
      add_rules_of_loop(rules, of_peers.empty() ? origins : of_peers, p, border);
    else
      rules.push_back({&first[p], rules_of_operations(origins, of_peers, p), work_times(origins, p)});
  }
  return rules;
}

double work_ns(const WorkTimes& times, const Place& place, double exponent) {
  const auto mean = [&place](const WorkTimes::value_type& of_ranks) {
    const auto last = static_cast<std::int64_t>(of_ranks.second.size()) - 1;
    const std::int64_t step =
        place.steps > 1 ? (2 * place.step * last + place.steps - 1) / (2 * (place.steps - 1)) : 0;
    const WorkTime& time = of_ranks.second[static_cast<std::size_t>(step)];
    return time.count > 0 ? time.sum_ns / time.count : 0;
  };
  const auto last = std::prev(times.end());
  if (times.size() == 1) return mean(*last);
  return mean(*last) * std::pow(static_cast<double>(place.grid->ranks()) / last->first, exponent);
}

}  // namespace finegrain::scaling
