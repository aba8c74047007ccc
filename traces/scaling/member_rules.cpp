// SPDX-License-Identifier: MIT
#include "traces/scaling/member_rules.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace finegrain::scaling {
namespace {

using List = std::vector<std::int32_t>;

Members of_list(List ranks, int all) {
  bool in_order = std::ssize(ranks) == all;
  for (std::size_t i = 0; i < ranks.size() && in_order; ++i)
    in_order = ranks[i] == static_cast<std::int32_t>(i);
  return in_order ? nullptr : std::make_shared<const List>(std::move(ranks));
}

template <class IsMember>
Members those(const Where& where, IsMember is_member) {
  List ranks;
  for (int rank = 0; rank < where.ranks(); ++rank)
    if (is_member(rank)) ranks.push_back(rank);
  return of_list(std::move(ranks), where.ranks());
}

/// Ranks that differ in these dimensions only; bit d: dimension d.
MembersRule of_dimensions(unsigned free) {
  return {[free](const Where& where) {
            const std::vector<int>& own = where.at->place;
            List ranks;
            for (int rank = 0; rank < where.ranks(); ++rank) {
              const std::vector<int> place = where.grid().place_of(rank);
              bool same = true;
              for (std::size_t d = 0; d < place.size() && same; ++d)
                same = (free >> d & 1U) != 0 || place[d] == own[d];
              if (same) ranks.push_back(rank);
            }
            return of_list(std::move(ranks), where.ranks());
          },
          "those in the same line of the grid"};
}

}  // namespace

bool same_members(const Members& a, const Members& b) {
  return a == b || (a && b && *a == *b);
}

std::vector<MembersRule> member_rules(std::span<const MembersSample> samples) {
  std::vector<MembersRule> candidates{{[](const Where&) { return Members(); }, "all ranks"}};
  const Where& like = *samples.front().where;
  const auto own =
      std::ranges::find_if(samples, [](const MembersSample& sample) { return sample.members != nullptr; });
  const Members first = own == samples.end() ? nullptr : own->members;
  const int dimensions = like.grid().dimensions();
  if (first) {
    for (unsigned free = 1; dimensions > 1 && free + 1 < 1U << dimensions; ++free)
      candidates.push_back(of_dimensions(free));
    const int count = static_cast<int>(first->size());
    const int ranks = own->where->ranks();
    candidates.push_back({[count](const Where& where) {
                            return those(where,
                                         [&](int rank) { return rank / count == where.rank() / count; });
                          },
                          "a block of so many ranks"});
    candidates.push_back({[stride = std::max(1, ranks / count)](const Where& where) {
                            return those(where,
                                         [&](int rank) { return rank % stride == where.rank() % stride; });
                          },
                          "every so-manieth rank"});
    candidates.push_back({[blocks = std::max(1, ranks / count)](const Where& where) {
                            const int size = std::max(1, where.ranks() / blocks);
                            return those(where, [&](int rank) { return rank / size == where.rank() / size; });
                          },
                          "one of so many blocks"});
    candidates.push_back({[count](const Where& where) {
                            const int stride = std::max(1, where.ranks() / count);
                            return those(where,
                                         [&](int rank) { return rank % stride == where.rank() % stride; });
                          },
                          "so many ranks, equally far apart"});
    candidates.push_back(
        {[count](const Where& where) { return those(where, [&](int rank) { return rank < count; }); },
         "the first so many ranks"});
    candidates.push_back({[rest = ranks - count](const Where& where) {
                            return those(where, [&](int rank) { return rank < where.ranks() - rest; });
                          },
                          "all but the last ones"});
    candidates.push_back({[rest = ranks - count](const Where& where) {
                            return those(where, [&](int rank) { return rank >= rest; });
                          },
                          "all but the first ones"});
    candidates.push_back({[part = std::max(1, ranks / count)](const Where& where) {
                            return those(where, [&](int rank) { return rank < where.ranks() / part; });
                          },
                          "the first half, quarter, ... of all"});
    candidates.push_back(
        {[](const Where& where) { return those(where, [&](int rank) { return rank == where.rank(); }); },
         "the rank alone"});
    if (like.depth > 0) {
      candidates.push_back(
          {[](const Where& where) {
             const int size = std::max(1, where.ranks() >> std::min<std::int64_t>(30, where.loops[0].step));
             return those(where, [&](int rank) { return rank / size == where.rank() / size; });
           },
           "a block, half as large in each step"});
      candidates.push_back({[](const Where& where) {
                              const int size = std::max(
                                  1, where.ranks() >> std::min<std::int64_t>(30, where.loops[0].step));
                              return those(where, [&](int rank) { return rank < size; });
                            },
                            "the first ones, half as many in each step"});
    }
  }
  std::vector<MembersRule> rules;
  std::set<int> sizes_of_runs;
  for (const MembersSample& sample : samples)
    sizes_of_runs.insert(sample.where->ranks());
  // The same list in three recordings, whatever their sizes, is written in the program.
  constexpr std::size_t enough_runs = 3;
  if (first && sizes_of_runs.size() >= enough_runs)
    candidates.push_back({[first](const Where& where) {
                            return std::ranges::find(*first, where.rank()) == first->end() ? nullptr : first;
                          },
                          "a list of ranks in the program"});
  for (const MembersRule& rule : candidates)
    if (std::ranges::all_of(samples, [&](const MembersSample& sample) {
          return same_members(rule.members(*sample.where), sample.members);
        }))
      rules.push_back(rule);
  return rules;
}

}  // namespace finegrain::scaling
