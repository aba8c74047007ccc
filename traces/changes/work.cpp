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

double middle(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, at);
  return *at;
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
    for (Unit& unit : units_) {
      unit.work.before_s = unit.work.after_s = unit.least_before_s;
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
    find_slowdown();
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
    find_slowdown();
    for (SlowedStretch& slowed : changes_.slowed)
      slowed.factor /= changes_.slowdown;
    std::erase_if(changes_.slowed, [&](const SlowedStretch& slowed) {
      return std::abs(slowed.factor - 1) <= rules_.least_change;
    });
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

  /// By all work but that which has changed.
  void find_slowdown() {
    double before_s = 0, after_s = 0;
    for (const Unit& unit : units_) {
      if (unit.work.has_changed) continue;
      before_s += unit.least_before_s;
      after_s += unit.least_after_s;
    }
    if (before_s > 0 && after_s > 0) changes_.slowdown = after_s / before_s;
  }

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

  static double usual_s(const OfRank& of_rank) { return quantile(of_rank.before_s, 0.5); }

  static const OfRank& steadiest(const OfRanks& ranks) {
    const auto change = [](const auto& rank) {
      return std::abs(std::log(quantile(rank.second.after_s, 0.5) / usual_s(rank.second)));
    };
    return std::ranges::min_element(ranks, {}, change)->second;
  }

  /// How many times a rank's usual seconds before the change the usual rank takes, in each run. Of two ranks,
  /// the one that has changed less is usual.
  static std::vector<double> usual_times(const OfRanks& ranks, std::vector<double> OfRank::*runs_s) {
    const OfRank& steady = steadiest(ranks);
    std::vector<double> usual;
    for (std::size_t run = 0; run < (steady.*runs_s).size(); ++run) {
      std::vector<double> all;
      for (const auto& [rank, of_rank] : ranks)
        all.push_back((of_rank.*runs_s)[run] / usual_s(of_rank));
      usual.push_back(ranks.size() == 2 ? (steady.*runs_s)[run] / usual_s(steady) : middle(std::move(all)));
    }
    return usual;
  }

  /// A rank's seconds in each run, relative to its usual ones and to what the usual rank takes in that run.
  static std::vector<double> shares(const OfRank& one, const std::vector<double>& usual,
                                    std::vector<double> OfRank::*runs_s) {
    std::vector<double> shares = one.*runs_s;
    for (std::size_t run = 0; run < shares.size(); ++run)
      shares[run] /= usual_s(one) * usual[run];
    return shares;
  }

  bool is_comparable(const OfRank& of_rank) const {
    return std::min(of_rank.least_before_s, of_rank.least_after_s) > rules_.shortest_s * of_rank.times &&
           std::ranges::all_of(of_rank.units,
                               [](const Unit* unit) { return unit->is_as_often && !unit->work.has_changed; });
  }

  void compare_ranks(const Stretch& stretch, const OfRanks& ranks) {
    std::vector<double> ratios;
    double all_s = 0;
    for (const auto& [rank, of_rank] : ranks) {
      if (!is_comparable(of_rank)) return;
      const double before_s = of_rank.least_before_s;
      ratios.push_back(of_rank.least_after_s / before_s);
      all_s += before_s;
    }
    const OfRank& steady = steadiest(ranks);
    const double slowed =
        ranks.size() == 2 ? steady.least_after_s / steady.least_before_s : middle(std::move(ratios));
    changes_.slowed.push_back(
        {stretch, slowed, all_s / std::accumulate(ranks_s_.begin(), ranks_s_.end(), 0.0)});
    if (slowed > rules_.most_slowed) changes_.is_suspect = true;
    if (slowed > rules_.most_slowed || slowed < 1 / rules_.most_slowed) return;
    if (ranks.size() < 2) return;  // there is nobody to compare with
    const std::vector<double> usual_before = usual_times(ranks, &OfRank::before_s);
    const std::vector<double> usual_after = usual_times(ranks, &OfRank::after_s);
    for (const auto& [rank, of_rank] : ranks) {
      const BeforeAndAfter share{shares(of_rank, usual_before, &OfRank::before_s),
                                 shares(of_rank, usual_after, &OfRank::after_s)};
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

WorkChanges compare_work(const WorkOfRuns& before, const WorkOfRuns& after, const WorkRules& rules) {
  std::vector<Unit> units;
  for (std::size_t rank = 0; rank < before.ranks.size(); ++rank)
    add_units(static_cast<int>(rank), before.ranks[rank], after.ranks[rank], units);
  return Comparing(std::move(units), before.ranks.size(), rules).changes();
}

}  // namespace finegrain::changes
