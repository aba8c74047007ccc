// SPDX-License-Identifier: MIT
#include "traces/changes/work.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "traces/place_of_call.hpp"
#include "traces/quantile.hpp"

namespace finegrain::changes {
namespace {

/// Each time that one rank of one run went through each stretch.
struct RankOfRun {
  std::map<Stretch, std::vector<double>> stretches_s;
  std::map<RegionName, std::pair<double, std::int64_t>> calls;  ///< seconds and number
};

RankOfRun read_rank(const Programs& run, int rank, const KnownPlaces& places) {
  RankOfRun read;
  StretchWalk walk(places);
  double work_s = 0;
  const auto cursor = run.rank(rank);
  while (const Loop* loop = cursor->next()) {
    const Body& call = *loop->body;
    for (std::size_t r = 0; r < loop->regions_s.size(); ++r)
      if (call.regions[r].name == regions::compute)
        work_s += static_cast<double>(loop->count) * loop->regions_s[r];
    const std::optional<Stretch> stretch = walk.enter(call);
    if (!stretch) continue;
    std::vector<double>& times_s = read.stretches_s[*stretch];
    times_s.push_back(std::exchange(work_s, 0));
    times_s.resize(times_s.size() + static_cast<std::size_t>(loop->count - 1), 0);
    if (loop->regions_s.empty() || call.regions.back().name == regions::compute) continue;
    auto& [seconds, number] = read.calls[places.name(call.regions.back().name)];
    seconds += static_cast<double>(loop->count) * loop->regions_s.back();
    number += loop->count;
  }
  return read;
}

double middle(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, at);
  return *at;
}

/// Each time that a rank goes through a stretch, in one run; null: it never does.
using Passes = const std::vector<double>*;

StretchWork work_of(const std::vector<Passes>& runs) {
  StretchWork work;
  for (const Passes run : runs) {
    work.times.push_back(run == nullptr ? 0 : std::ssize(*run));
    work.runs_s.push_back(run == nullptr ? 0 : std::accumulate(run->begin(), run->end(), 0.0));
  }
  if (!work.is_as_often(work)) {
    work.least_s =
        std::accumulate(work.runs_s.begin(), work.runs_s.end(), 0.0) / static_cast<double>(runs.size());
    return work;
  }
  constexpr double most_usual = 2;
  std::ranges::fill(work.runs_s, 0.0);
  for (std::size_t time = 0; time < runs.front()->size(); ++time) {
    std::vector<double> passes_s;
    for (const Passes run : runs)
      passes_s.push_back((*run)[time]);
    const double usual_s = middle(passes_s);
    work.least_s += std::ranges::min(passes_s);
    for (std::size_t run = 0; run < runs.size(); ++run)
      work.runs_s[run] += std::min((*runs[run])[time], most_usual * usual_s);
  }
  return work;
}

/// The value below which half of the weight lies.
double weighted_middle(std::vector<std::pair<double, double>> values_and_weights) {
  std::ranges::sort(values_and_weights);
  double all = 0;
  for (const auto& [value, weight] : values_and_weights)
    all += weight;
  double below = 0;
  for (const auto& [value, weight] : values_and_weights) {
    below += weight;
    if (below >= all / 2) return value;
  }
  return 1;
}

/// A stretch of a rank whose work is compared, in all runs before and after.
struct Unit {
  WorkOfStretch work;
  double least_before_s = 0, least_after_s = 0;
  std::vector<double> before_s = {}, after_s = {};  ///< of each run
  double times = 0;                                 ///< how often the rank goes through it
  bool is_as_often = true;
};

/// The stretches of a rank that begin at one anchor.
using FromAnchor = std::map<Stretch, StretchWork>;

void add(std::vector<double>& sum, const std::vector<double>& more) {
  sum.resize(std::max(sum.size(), more.size()), 0);
  for (std::size_t i = 0; i < more.size(); ++i)
    sum[i] += more[i];
}

std::map<std::optional<RegionName>, FromAnchor> by_anchor(const std::map<Stretch, StretchWork>& stretches) {
  std::map<std::optional<RegionName>, FromAnchor> anchors;
  for (const auto& [stretch, work] : stretches)
    anchors[stretch.after].emplace(stretch, work);
  return anchors;
}

void add_units(int rank, const std::map<Stretch, StretchWork>& before,
               const std::map<Stretch, StretchWork>& after, std::vector<Unit>& units) {
  const auto anchors_after = by_anchor(after);
  for (const auto& [anchor, was] : by_anchor(before)) {
    const auto found = anchors_after.find(anchor);
    if (found == anchors_after.end()) continue;
    const FromAnchor& is = found->second;
    const auto have_same_ends = std::ranges::equal(was, is, [](const auto& one, const auto& other) {
      return one.first == other.first && one.second.is_as_often(other.second);
    });
    if (have_same_ends) {
      for (const auto& [stretch, work] : was)
        units.push_back({{.rank = rank, .stretch = stretch},
                         work.least_s,
                         is.at(stretch).least_s,
                         work.runs_s,
                         is.at(stretch).runs_s,
                         work.mean_times()});
      continue;
    }
    Unit& unit = units.emplace_back();
    unit.work.rank = rank;
    unit.work.stretch = {anchor, std::nullopt};
    for (const auto& [stretch, work] : was) {
      unit.least_before_s += work.least_s;
      add(unit.before_s, work.runs_s);
      unit.times = std::max(unit.times, work.mean_times());
      unit.is_as_often = unit.is_as_often && work.is_as_often(work);
    }
    for (const auto& [stretch, work] : is) {
      unit.least_after_s += work.least_s;
      add(unit.after_s, work.runs_s);
      unit.is_as_often = unit.is_as_often && work.is_as_often(work);
    }
  }
}

/// The same number in each run before and after.
struct BeforeAndAfter {
  std::vector<double> before, after;

  double difference() const { return quantile(after, 0.5) - quantile(before, 0.5); }
  double times() const { return quantile(after, 0.5) / quantile(before, 0.5); }
  /// Whether chance hardly puts the runs of both in this order: in how many of all pairs the one after is
  /// larger, in standard deviations from half of them (Mann and Whitney 1947). Few runs have less at most.
  bool is_clear(double least_deviations, const WorkRules& rules) const {
    double larger = 0;
    for (const double was : before)
      for (const double is : after)
        larger += is > was ? 1 : is == was ? 0.5 : 0;
    const auto n = static_cast<double>(before.size()), m = static_cast<double>(after.size());
    const double deviation = std::sqrt(n * m * (n + m + 1) / 12), most = n * m / 2 / deviation;
    const double least = std::max(rules.least_deviations_alone, std::min(least_deviations, 0.9 * most));
    return std::abs(larger - n * m / 2) / deviation >= least;
  }
};

/// Compares ranks and stretches.
class Comparing {
 public:
  Comparing(std::vector<Unit> units, std::size_t ranks, const WorkRules& rules)
      : units_(std::move(units)), rules_(rules), ranks_s_(ranks, 0) {
    double all_before_s = 0, all_after_s = 0;
    for (Unit& unit : units_) {
      unit.work.before_s = unit.work.after_s = unit.least_before_s;
      all_before_s += unit.least_before_s;
      all_after_s += unit.least_after_s;
      ranks_s_[static_cast<std::size_t>(unit.work.rank)] += unit.work.before_s;
      // Where calls appeared or vanished, nobody knows whose work is whose.
      if (!unit.work.stretch.before || unit.times < rules_.fewest_times) continue;
      // Ranks may come to a call from different ones: the first and the last have no neighbour.
      const Stretch& stretch = unit.work.stretch;
      OfRank& of_rank = by_call_[{std::nullopt, stretch.before}][unit.work.rank];
      of_rank.units.push_back(&unit);
      of_rank.least_before_s += unit.least_before_s;
      of_rank.least_after_s += unit.least_after_s;
      add(of_rank.before_s, unit.before_s);
      add(of_rank.after_s, unit.after_s);
      of_rank.times += unit.times;
    }
    if (all_before_s > 0 && all_after_s > 0) changes_.slowdown = all_after_s / all_before_s;
  }

  WorkChanges changes() && {
    for (const Unit& unit : units_)
      if (unit.work.stretch.before && function_of(*unit.work.stretch.before).starts_with("MPI_Wait"))
        waits_.insert(*unit.work.stretch.before);
    for (const RegionName call : waits_)
      find_moved(call);
    for (const auto& [stretch, ranks] : by_call_)
      compare_ranks(stretch, ranks);
    for (const auto& [rank, shares] : shares_of_ranks_)
      judge_imbalances(rank, shares);
    for (const Unit& unit : units_)
      changes_.stretches.push_back(unit.work);
    return std::move(changes_);
  }

 private:
  /// A rank's work before a call, wherever it came from.
  struct OfRank {
    std::vector<Unit*> units;
    double least_before_s = 0, least_after_s = 0;
    std::vector<double> before_s, after_s;  ///< of each run
    double times = 0;
  };
  using OfRanks = std::map<int, OfRank>;

  /// A rank's work before and after a call.
  struct Around {
    std::vector<Unit*> units;
    BeforeAndAfter share_before_call;
    double all_before_s = 0, all_after_s = 0;  ///< before and after the change of the program
  };

  void find_moved(RegionName call) {
    std::map<int, Around> ranks;
    for (Unit& unit : units_)
      if (unit.work.stretch.before == call || unit.work.stretch.after == call)
        ranks[unit.work.rank].units.push_back(&unit);
    MovedWork moved{.call = call, .ranks = {}};
    for (auto& [rank, around] : ranks) {
      if (!add_shares(around, call)) continue;
      const double change = around.share_before_call.difference();
      if (std::abs(change) * around.all_before_s <
          rules_.least_share * ranks_s_[static_cast<std::size_t>(rank)])
        continue;
      if (std::abs(around.all_after_s / around.all_before_s / changes_.slowdown - 1) > rules_.least_moved)
        continue;
      if (std::abs(change) > rules_.least_moved) changes_.is_suspect = true;
      if (std::abs(change) <= rules_.least_moved ||
          !around.share_before_call.is_clear(rules_.least_deviations, rules_))
        continue;
      if (!moved.ranks.empty() && moved.is_after != (change < 0)) continue;
      moved.is_after = change < 0;
      moved.ranks.push_back(rank);
    }
    // What most ranks do: that of single ranks is imbalance.
    if (moved.ranks.empty() || 2 * moved.ranks.size() < ranks.size()) return;
    for (const int rank : moved.ranks) {
      const Around& around = ranks[rank];
      for (Unit* unit : around.units) {
        unit->work.has_changed = true;
        unit->work.after_s = unit->least_after_s / around.all_after_s * around.all_before_s;
      }
    }
    changes_.moved.push_back(std::move(moved));
  }

  bool add_shares(Around& around, RegionName call) const {
    BeforeAndAfter earlier, all;
    for (const Unit* unit : around.units) {
      if (!unit->is_as_often || unit->work.has_changed) return false;
      around.all_before_s += unit->least_before_s;
      around.all_after_s += unit->least_after_s;
      add(all.before, unit->before_s);
      add(all.after, unit->after_s);
      if (unit->work.stretch.before != call) continue;
      add(earlier.before, unit->before_s);
      add(earlier.after, unit->after_s);
    }
    if (earlier.before.empty()) return false;
    if (around.all_before_s <= 0 || around.all_after_s <= 0) return false;
    for (std::size_t run = 0; run < all.before.size(); ++run)
      around.share_before_call.before.push_back(all.before[run] > 0 ? earlier.before[run] / all.before[run]
                                                                    : 0);
    for (std::size_t run = 0; run < all.after.size(); ++run)
      around.share_before_call.after.push_back(all.after[run] > 0 ? earlier.after[run] / all.after[run] : 0);
    return true;
  }

  /// In each run, relative to the rank in the middle.
  static std::vector<double> shares(const OfRank& one, const OfRanks& ranks,
                                    std::vector<double> OfRank::*runs_s) {
    std::vector<double> shares;
    for (std::size_t run = 0; run < (one.*runs_s).size(); ++run) {
      std::vector<double> all_s;
      for (const auto& [rank, of_rank] : ranks)
        all_s.push_back((of_rank.*runs_s)[run]);
      shares.push_back((one.*runs_s)[run] / middle(std::move(all_s)));
    }
    return shares;
  }

  bool is_comparable(const OfRank& of_rank) const {
    return std::min(of_rank.least_before_s, of_rank.least_after_s) > rules_.shortest_s * of_rank.times &&
           std::ranges::all_of(of_rank.units,
                               [](const Unit* unit) { return unit->is_as_often && !unit->work.has_changed; });
  }

  void compare_ranks(const Stretch& stretch, const OfRanks& ranks) {
    std::vector<std::pair<double, double>> ratios;
    double all_s = 0;
    for (const auto& [rank, of_rank] : ranks) {
      if (!is_comparable(of_rank)) return;
      const double before_s = of_rank.least_before_s;
      ratios.emplace_back(of_rank.least_after_s / before_s / changes_.slowdown, before_s);
      all_s += before_s;
    }
    const double factor = weighted_middle(std::move(ratios));
    if (std::abs(factor - 1) > rules_.least_change)
      changes_.slowed.push_back(
          {stretch, factor, all_s / std::accumulate(ranks_s_.begin(), ranks_s_.end(), 0.0)});
    const double slowed = factor * changes_.slowdown;
    if (slowed > rules_.most_slowed) changes_.is_suspect = true;
    if (slowed > rules_.most_slowed || slowed < 1 / rules_.most_slowed) return;
    if (ranks.size() < 2) return;  // there is nobody to compare with
    for (const auto& [rank, of_rank] : ranks) {
      const BeforeAndAfter share{shares(of_rank, ranks, &OfRank::before_s),
                                 shares(of_rank, ranks, &OfRank::after_s)};
      shares_of_ranks_[rank].push_back({stretch, share, quantile(share.before, 0.5), of_rank});
    }
  }

  /// A rank's share of the work before a call.
  struct Share {
    Stretch stretch;
    BeforeAndAfter share;
    double usual = 1;  ///< of those before
    OfRank of_rank;

    double weight() const { return of_rank.least_before_s; }
  };

  using RunsOfShare = std::vector<double> BeforeAndAfter::*;

  /// Its shares before a call, relative to those at its other places in the same run, where its core may have
  /// been slower, or busier.
  static std::vector<double> relative_shares(const std::vector<Share>& shares, const Share& here,
                                             RunsOfShare runs) {
    std::vector<double> relative = here.share.*runs;
    for (std::size_t run = 0; run < relative.size(); ++run) {
      std::vector<std::pair<double, double>> elsewhere;
      for (const Share& other : shares)
        if (other.stretch != here.stretch)
          elsewhere.emplace_back((other.share.*runs)[run] / other.usual, other.weight());
      relative[run] /= weighted_middle(std::move(elsewhere));
    }
    return relative;
  }

  void judge_imbalances(int rank, const std::vector<Share>& shares) {
    for (const Share& here : shares) {
      const BeforeAndAfter relative{relative_shares(shares, here, &BeforeAndAfter::before),
                                    relative_shares(shares, here, &BeforeAndAfter::after)};
      if ((here.share.times() > 1) != (relative.times() > 1)) continue;
      const double times = here.share.times() > 1 ? std::min(here.share.times(), relative.times())
                                                  : std::max(here.share.times(), relative.times());
      if (std::abs(times - 1) < rules_.least_suspect ||
          std::abs(times - 1) * here.weight() < rules_.least_share * ranks_s_[static_cast<std::size_t>(rank)])
        continue;
      changes_.is_suspect = true;
      if (std::abs(times - 1) < rules_.least_change) continue;
      if (!here.share.is_clear(rules_.least_deviations_alone, rules_) ||
          !relative.is_clear(rules_.least_deviations, rules_))
        continue;
      note_imbalance(here.stretch, rank, times);
      for (Unit* unit : here.of_rank.units) {
        unit->work.has_changed = true;
        unit->work.after_s = unit->work.before_s * times;
      }
    }
  }

  void note_imbalance(const Stretch& stretch, int rank, double factor) {
    auto known = std::ranges::find_if(changes_.imbalances, [&](const Imbalance& one) {
      return one.stretch == stretch && (one.factor > 1) == (factor > 1);
    });
    if (known == changes_.imbalances.end())
      known = changes_.imbalances.insert(known, Imbalance{.stretch = stretch, .ranks = {}, .factor = 0});
    const auto ranks = static_cast<double>(known->ranks.size());
    known->factor = (known->factor * ranks + factor) / (ranks + 1);
    known->ranks.push_back(rank);
  }

  std::vector<Unit> units_;
  WorkRules rules_;
  std::vector<double> ranks_s_;  ///< all work of each rank, before
  std::map<Stretch, OfRanks> by_call_;
  std::map<int, std::vector<Share>> shares_of_ranks_;
  std::set<RegionName> waits_;
  WorkChanges changes_;
};

}  // namespace

std::optional<Stretch> StretchWalk::enter(const Body& call) {
  if (call.regions.empty() || depends_on_arrival(call)) return std::nullopt;
  if (is_moment_of_thread(call.regions.back().name)) return std::nullopt;
  const RegionName name = places_.name(call.regions.back().name);
  const Stretch stretch{anchor_, name};
  if (places_.anchors.contains(name)) anchor_ = name;
  return stretch;
}

double StretchWork::mean_times() const {
  return static_cast<double>(std::accumulate(times.begin(), times.end(), std::int64_t{0})) /
         static_cast<double>(times.size());
}

bool StretchWork::is_as_often(const StretchWork& other) const {
  const auto is_same = [&](std::int64_t number) { return number == times.front(); };
  return std::ranges::all_of(times, is_same) && std::ranges::all_of(other.times, is_same);
}

WorkOfRuns measure_work(std::span<const std::unique_ptr<Programs>> runs, const KnownPlaces& places) {
  WorkOfRuns work;
  for (int rank = 0; rank < runs.front()->ranks(); ++rank) {
    std::vector<RankOfRun> read;
    for (const auto& run : runs)
      read.push_back(read_rank(*run, rank, places));
    std::map<Stretch, std::vector<Passes>> stretches;
    std::map<RegionName, std::pair<double, std::int64_t>> calls;
    for (std::size_t run = 0; run < read.size(); ++run) {
      for (const auto& [stretch, times_s] : read[run].stretches_s)
        stretches.try_emplace(stretch, read.size()).first->second[run] = &times_s;
      for (const auto& [place, call] : read[run].calls) {
        calls[place].first += call.first;
        calls[place].second += call.second;
      }
    }
    auto& of_rank = work.ranks.emplace_back();
    for (const auto& [stretch, of_runs] : stretches)
      of_rank.emplace(stretch, work_of(of_runs));
    auto& calls_s = work.calls_s.emplace_back();
    for (const auto& [place, call] : calls)
      calls_s[place] = call.first / static_cast<double>(call.second);
  }
  return work;
}

WorkChanges compare_work(const WorkOfRuns& before, const WorkOfRuns& after, const WorkRules& rules) {
  std::vector<Unit> units;
  for (std::size_t rank = 0; rank < before.ranks.size(); ++rank)
    add_units(static_cast<int>(rank), before.ranks[rank], after.ranks[rank], units);
  return Comparing(std::move(units), before.ranks.size(), rules).changes();
}

}  // namespace finegrain::changes
