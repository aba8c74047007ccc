// SPDX-License-Identifier: MIT
#include "traces/scaling/predicates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <cstddef>
#include <deque>
#include <initializer_list>
#include <set>
#include <utility>

#include "traces/scaling/rule_search.hpp"

namespace finegrain::scaling {
namespace {

bool bit(std::int64_t number, std::int64_t place) {
  return (number / power_of_2(place)) % 2 == 1;
}

/// What may hold for a number in a group, and for one step of a loop.
using OfGroup = bool (*)(const InGroup&);
using OfStep = bool (*)(const InGroup&, const StepOf&);

constexpr std::pair<const char*, OfGroup> of_group[] = {
    {"first", [](const InGroup& in) { return in.own == 0; }},
    {"last", [](const InGroup& in) { return in.own == in.size - 1; }},
    {"second", [](const InGroup& in) { return in.own == 1; }},
    {"last but one", [](const InGroup& in) { return in.own == in.size - 2; }},
    {"of the first two", [](const InGroup& in) { return in.own < 2; }},
    {"of the last two", [](const InGroup& in) { return in.own >= in.size - 2; }},
    {"even", [](const InGroup& in) { return in.own % 2 == 0; }},
    {"even half", [](const InGroup& in) { return in.own / 2 % 2 == 0; }},
    {"even quarter", [](const InGroup& in) { return in.own / 4 % 2 == 0; }},
    {"multiple of 4", [](const InGroup& in) { return in.own % 4 == 0; }},
    {"in the first half", [](const InGroup& in) { return in.own < in.size / 2; }},
    {"in the first quarter", [](const InGroup& in) { return in.own < in.size / 4; }},
};

constexpr std::pair<const char*, OfStep> of_step[] = {
    {"at its step", [](const InGroup& in, const StepOf& at) { return in.own == at.step; }},
    {"before its step", [](const InGroup& in, const StepOf& at) { return in.own < at.step; }},
    {"at its step from the end",
     [](const InGroup& in, const StepOf& at) { return in.own == at.steps - 1 - at.step; }},
    {"after its step from the end",
     [](const InGroup& in, const StepOf& at) { return in.own > at.steps - 1 - at.step; }},
    {"after the next step", [](const InGroup& in, const StepOf& at) { return in.own > at.step + 1; }},
    {"at the next step", [](const InGroup& in, const StepOf& at) { return in.own == at.step + 1; }},
    {"at its step in turn", [](const InGroup& in, const StepOf& at) { return in.own == at.step % in.size; }},
    {"even with its step", [](const InGroup& in, const StepOf& at) { return (in.own + at.step) % 2 == 0; }},
    {"bit of the step", [](const InGroup& in, const StepOf& at) { return bit(in.own, at.step); }},
    {"bit of the step from the end",
     [](const InGroup& in, const StepOf& at) { return bit(in.own, at.steps - 1 - at.step); }},
    {"bit after the step", [](const InGroup& in, const StepOf& at) { return bit(in.own, at.step + 1); }},
    {"multiple of 2^step",
     [](const InGroup& in, const StepOf& at) { return in.own % power_of_2(at.step) == 0; }},
    {"multiple of 2^(step + 1)",
     [](const InGroup& in, const StepOf& at) { return in.own % power_of_2(at.step + 1) == 0; }},
    {"2^step in 2^(step + 1)",
     [](const InGroup& in, const StepOf& at) {
       return in.own % power_of_2(at.step + 1) == power_of_2(at.step);
     }},
    {"multiple of 2^(steps - step)",
     [](const InGroup& in, const StepOf& at) { return in.own % power_of_2(at.steps - at.step) == 0; }},
    {"multiple of 2^(steps - step - 1)",
     [](const InGroup& in, const StepOf& at) { return in.own % power_of_2(at.steps - at.step - 1) == 0; }},
    {"below 2^step", [](const InGroup& in, const StepOf& at) { return in.own < power_of_2(at.step); }},
    {"below 2^(step + 1)",
     [](const InGroup& in, const StepOf& at) { return in.own < power_of_2(at.step + 1); }},
    {"below 2^(steps - step)",
     [](const InGroup& in, const StepOf& at) { return in.own < power_of_2(at.steps - at.step); }},
    {"below 2^(steps - step - 1)",
     [](const InGroup& in, const StepOf& at) { return in.own < power_of_2(at.steps - at.step - 1); }},
    {"2^step below the last",
     [](const InGroup& in, const StepOf& at) { return in.own + power_of_2(at.step) < in.size; }},
    {"2^step from the end below the last",
     [](const InGroup& in, const StepOf& at) {
       return in.own + power_of_2(at.steps - 1 - at.step) < in.size;
     }},
    {"so many below the last",
     [](const InGroup& in, const StepOf& at) { return in.own + at.step < in.size; }},
    {"below size / 2^step",
     [](const InGroup& in, const StepOf& at) { return in.own < in.size / power_of_2(at.step); }},
    {"below size / 2^(step + 1)",
     [](const InGroup& in, const StepOf& at) { return in.own < in.size / power_of_2(at.step + 1); }},
    {"multiple of size / 2^step",
     [](const InGroup& in, const StepOf& at) {
       return in.own % std::max<std::int64_t>(1, in.size / power_of_2(at.step)) == 0;
     }},
    {"multiple of size / 2^(step + 1)",
     [](const InGroup& in, const StepOf& at) {
       return in.own % std::max<std::int64_t>(1, in.size / power_of_2(at.step + 1)) == 0;
     }},
};

std::string group_name(int dimension) {
  return dimension == all_ranks ? std::string("rank") : fmt::format("place in dimension {}", dimension + 1);
}

/// A set of samples.
using Bits = boost::dynamic_bitset<>;

bool contains(const Bits& set, const Bits& other) {
  return other.is_subset_of(set);
}

Bits opposite(Bits bits) {
  bits.flip();
  return bits;
}

Predicate opposite(const Predicate& predicate) {
  return {[holds = predicate.holds](const Where& where) { return !holds(where); },
          fmt::format("not {}", predicate.text), predicate.tier};
}

struct Literal {
  Predicate predicate;
  Bits bits;
  bool of_steps;  ///< it depends on them
};

constexpr std::size_t most_alternatives = 12;

using Literals = std::vector<const Literal*>;

Predicate all_of(const Literals& literals) {
  std::string text;
  std::vector<Predicate> parts;
  int tier = static_cast<int>(literals.size()) - 1;
  for (const Literal* literal : literals) {
    text += (text.empty() ? "" : " and ") + literal->predicate.text;
    parts.push_back(literal->predicate);
    tier += literal->predicate.tier;
  }
  return {[parts](const Where& where) {
            return std::ranges::all_of(parts, [&](const Predicate& part) { return part.holds(where); });
          },
          text, tier};
}

/// Those of so many literals that all hold exactly in the set.
/// @param wider  literals that hold in all of the set
void add_conjunctions(const Literals& wider, const Bits& set, std::size_t length, const Literals& chosen,
                      const Bits& bits, std::size_t from, std::vector<Predicate>& found) {
  if (chosen.size() == length) {
    if (bits == set) found.push_back(all_of(chosen));
    return;
  }
  for (std::size_t next = from; next < wider.size() && found.size() < most_alternatives; ++next) {
    Literals longer = chosen;
    longer.push_back(wider[next]);
    add_conjunctions(wider, set, length, longer,
                     chosen.empty() ? wider[next]->bits : bits & wider[next]->bits, next + 1, found);
  }
}

/// Conjunctions that hold exactly in the set, or opposites of those that hold exactly outside of it.
std::vector<Predicate> of_literals(const std::vector<Literal>& literals, const Bits& set, std::size_t length,
                                   bool of_steps) {
  std::vector<Predicate> found;
  const auto search = [&](const Bits& wanted) {
    Literals wider;
    for (const Literal& literal : literals)
      if ((of_steps || !literal.of_steps) && contains(literal.bits, wanted)) wider.push_back(&literal);
    constexpr std::size_t most_of_three = 60;  // literals: the search takes their number to the power of 3
    if (length > 2 && wider.size() > most_of_three) wider.resize(most_of_three);
    add_conjunctions(wider, wanted, length, {}, {}, 0, found);
  };
  search(set);
  if (!found.empty() || length == 1) return found;
  search(opposite(set));
  for (Predicate& predicate : found)
    predicate = opposite(predicate);
  return found;
}

/// What happens in each step of the innermost loop, if it has as many steps everywhere.
std::vector<Predicate> by_steps(std::span<const Sample> samples) {
  constexpr std::int64_t most_steps = 256;
  if (samples.front().where->depth == 0) return {};
  const std::int64_t steps = samples.front().where->loops[0].steps;
  if (steps < 2 || steps > most_steps) return {};
  std::vector<std::vector<Sample>> of_steps(static_cast<std::size_t>(steps));
  std::deque<Where> wheres;
  for (const Sample& sample : samples) {
    if (sample.where->depth == 0 || sample.where->loops[0].steps != steps) return {};
    // Within a step, only the rank and the loops around matter.
    Where& where = wheres.emplace_back(*sample.where);
    where.loops[0] = {};
    of_steps[static_cast<std::size_t>(sample.where->loops[0].step)].push_back({&where, sample.value});
  }
  std::vector<std::vector<Predicate>> predicates;
  constexpr int tier_by_step = 2;
  int tier = tier_by_step;
  for (const std::vector<Sample>& in_step : of_steps) {
    if (in_step.empty()) return {};
    predicates.push_back(predicates_of(in_step));
    if (predicates.back().empty()) return {};
    tier += predicates.back().front().tier;
  }
  // The first one of each step; and with each of the others in one step.
  std::vector<Predicate> all;
  const auto add = [&](std::size_t changed, std::size_t alternative) {
    const Predicate& other = predicates[changed][alternative];
    all.push_back({[predicates, steps, changed, alternative](const Where& where) {
                     if (where.loops[0].steps != steps) return false;
                     const auto step = static_cast<std::size_t>(where.loops[0].step);
                     Where within = where;
                     within.loops[0] = {};
                     return predicates[step][step == changed ? alternative : 0].holds(within);
                   },
                   fmt::format("by the step, {}", other.text),
                   tier - predicates[changed].front().tier + other.tier});
  };
  add(0, 0);
  for (std::size_t step = 0; step < predicates.size(); ++step)
    for (std::size_t alternative = 1; alternative < predicates[step].size(); ++alternative)
      add(step, alternative);
  return all;
}

/// The same ranks in three recordings of different sizes or more: their numbers are written in the program.
std::vector<Predicate> of_listed_ranks(std::span<const Sample> samples) {
  constexpr std::size_t enough_runs = 3;
  constexpr int tier = 5;
  std::set<int> runs;
  std::set<int> listed;
  for (const Sample& sample : samples) {
    runs.insert(sample.where->ranks());
    if (sample.value != 0) listed.insert(sample.where->rank());
  }
  if (runs.size() < enough_runs || *listed.rbegin() >= *runs.begin()) return {};
  if (std::ranges::any_of(samples, [&](const Sample& sample) {
        return listed.contains(sample.where->rank()) != (sample.value != 0);
      }))
    return {};
  return {{[listed](const Where& where) { return listed.contains(where.rank()); },
           "a rank of a list in the program", tier}};
}

}  // namespace

std::vector<Predicate> simple_predicates(const Where& like, int loops) {
  std::vector<Predicate> all;
  const std::vector<int> groups = groups_of(like);
  // Most programs ask for the ends of a line, or for every second one.
  const auto tier_of = [](std::size_t number) { return number < 2 ? 0 : number < 7 ? 1 : 2; };
  for (const int group : groups)
    for (std::size_t p = 0; p < std::size(of_group); ++p)
      all.push_back(
          {[group, holds = of_group[p].second](const Where& where) { return holds(in_group(where, group)); },
           fmt::format("{} {}", group_name(group), of_group[p].first), tier_of(p),
           p < 2 && group != all_ranks});
  if (like.grid().dimensions() > 1)
    all.push_back({[](const Where& where) {
                     int sum = 0;
                     for (const int along : where.at->place)
                       sum += along;
                     return sum % 2 == 0;
                   },
                   "even sum of places", 1});
  for (std::size_t loop = 0; loop < static_cast<std::size_t>(loops); ++loop) {
    all.push_back({[loop](const Where& where) { return where.loops[loop].step == 0; }, "first step"});
    all.push_back(
        {[loop](const Where& where) { return where.loops[loop].step == where.loops[loop].steps - 1; },
         "last step"});
    all.push_back({[loop](const Where& where) { return where.loops[loop].step == 1; }, "second step", 1});
    all.push_back({[loop](const Where& where) { return where.loops[loop].step % 2 == 0; }, "even step", 1});
    for (const int group : groups)
      for (const auto& [text, holds] : of_step)
        all.push_back({[group, loop, holds = holds](const Where& where) {
                         return holds(in_group(where, group), where.loops[loop]);
                       },
                       fmt::format("{} {}", group_name(group), text), 1});
  }
  if (loops > 1) {
    all.push_back(
        {[](const Where& where) { return where.loops[0].step == where.loops[1].step; }, "equal steps"});
    all.push_back(
        {[](const Where& where) { return where.loops[0].step < where.loops[1].step; }, "earlier step"});
  }
  return all;
}

std::vector<Predicate> predicates_of(std::span<const Sample> samples) {
  Bits set;
  for (const Sample& sample : samples)
    set.push_back(sample.value != 0);
  for (const bool always : {true, false})
    if (always ? set.all() : set.none())
      return {{[always](const Where&) { return always; }, always ? "always" : "never"}};
  int loops = Where::most_loops;
  for (const Sample& sample : samples)
    loops = std::min(loops, sample.where->depth);
  std::vector<Literal> literals;
  const std::size_t plain = simple_predicates(*samples.front().where, 0).size();
  for (const Predicate& predicate : simple_predicates(*samples.front().where, loops)) {
    Bits bits;
    for (const Sample& sample : samples)
      bits.push_back(predicate.holds(*sample.where));
    const bool of_steps = literals.size() / 2 >= plain;
    literals.push_back({predicate, bits, of_steps});
    literals.push_back({opposite(predicate), opposite(bits), of_steps});
    // Who is not at an end of a line has a neighbour there.
    if (predicate.is_end) ++literals[literals.size() - 2].predicate.tier;
  }
  const auto search = [&](std::initializer_list<std::pair<std::size_t, bool>> tries) {
    std::vector<Predicate> found;
    for (const auto& [length, of_steps] : tries)
      if (found.empty()) found = of_literals(literals, set, length, of_steps);
    return found;
  };
  std::vector<Predicate> found = search({{1, false}, {2, false}, {1, true}});
  if (found.empty()) found = by_steps(samples);
  if (found.empty()) found = search({{2, true}, {3, false}, {3, true}});
  if (found.empty()) found = of_listed_ranks(samples);
  std::ranges::stable_sort(found, {}, &Predicate::tier);
  return found;
}

}  // namespace finegrain::scaling
