// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "traces/changes/structure.hpp"
#include "traces/programs.hpp"

namespace finegrain::changes {

/// What the places of a program are called, so that those of a changed program have the names of before.
struct KnownPlaces {
  std::map<RegionName, RegionName> names = {};  ///< the program's own places'; others keep their names
  std::set<RegionName> anchors;                 ///< names of places where both programs come equally often

  RegionName name(RegionName own) const {
    const auto known = names.find(own);
    return known == names.end() ? own : known->second;
  }
};

/// A rank's work between two calls. Calls that found nothing, and moments of threads, are part of it.
struct Stretch {
  std::optional<RegionName> after;   ///< the last anchor; none: the program's start
  std::optional<RegionName> before;  ///< the next call; none: all work until the next anchor

  friend auto operator<=>(const Stretch&, const Stretch&) = default;
};

/// Follows a rank from call to call.
class StretchWalk {
 public:
  explicit StretchWalk(const KnownPlaces& places) : places_(places) {}
  /// The stretch that ends with this call; none if it goes on, since the call depends on what had arrived, or
  /// is a moment of a thread.
  std::optional<Stretch> enter(const Body& call);

 private:
  const KnownPlaces& places_;
  std::optional<RegionName> anchor_;
};

/// A stretch of a rank in repeated runs of a program.
struct StretchWork {
  /// What it takes: the least of all runs, each time that the rank goes through it, because other programs
  /// disturb runs, but seldom all of them at the same place.
  double least_s = 0;
  /// In each run. A time counts as twice what it is in the middle run at most: longer ones were interrupted.
  std::vector<double> runs_s;
  std::vector<std::int64_t> times;  ///< how often the rank went through it in each run

  double mean_times() const;
  bool is_as_often(const StretchWork& other) const;  ///< in each run of both
};

/// The work of repeated runs of a program.
struct WorkOfRuns {
  std::vector<std::map<Stretch, StretchWork>> ranks;  ///< shape [ranks]
  /// Seconds of a call of functions whose time is all that is known of them (files), by their places.
  std::vector<std::map<RegionName, double>> calls_s;
};

/// Fewer runs, before and after, are in no order that chance does not often make.
inline constexpr std::size_t least_runs = 5;

/// @param runs  runs of one program
WorkOfRuns measure_work(std::span<const std::unique_ptr<Programs>> runs, const KnownPlaces& places);

/// A rank's work in a stretch, before and after. Where calls appeared or vanished in a stretch, it is all
/// work from one anchor to the next.
struct WorkOfStretch {
  int rank = 0;
  Stretch stretch;
  double before_s = 0;
  double after_s = 0;  ///< what is clear of its change is in it, and nothing else
  bool has_changed = false;
};

/// Some ranks' share of the work before a call has changed, compared with the other ranks'.
struct Imbalance {
  Stretch stretch;  ///< without the call after which it begins, which differs from rank to rank
  std::vector<int> ranks;
  double factor = 1;  ///< that of these ranks' work, where the others' is 1
};

/// Work that was done before a wait is now done after it, or the other way round.
struct MovedWork {
  RegionName call;
  bool is_after = false;  ///< now
  std::vector<int> ranks;
};

/// A stretch that takes longer or shorter on all ranks. A change of the source does that, but other flags of
/// the compiler and other computers do so as well.
struct SlowedStretch {
  Stretch stretch;
  double factor = 1;  ///< where all work has WorkChanges::slowdown
  double share = 0;   ///< its part of all work before
};

/// When work has changed.
struct WorkRules {
  /// A rank's share has to change by this much, relative to the stretch's work.
  double least_change = 0.1;
  /// From this on, it looks changed, and more runs are asked for.
  double least_suspect = 0.06;
  /// That also has to be so much of all work of the rank.
  double least_share = 0.02;
  /// The rank's share, compared with its other places in the same run, has to change by this many standard
  /// deviations of the runs' order.
  double least_deviations = 3.5;
  /// That share by itself, which a busy core changes as well. With few runs, the one above is lower, but
  /// never lower than this.
  double least_deviations_alone = 2.5;
  /// Shorter stretches are not compared, because the recorder asks the kernel every 50 us at most how long a
  /// rank waited for a core.
  double shortest_s = 50e-6;
  /// Ranks have to go through it so often: what is done once, such as filling memory, scatters too far.
  double fewest_times = 8;
  /// All ranks' work in a stretch may take at most this many times as long as before, or as little: otherwise
  /// it is other code, by other flags of the compiler, say, whose imbalance is not that of before.
  double most_slowed = 1.25;
  /// How much of the work around a call has to move past it.
  double least_moved = 0.3;
};

struct WorkChanges {
  std::vector<WorkOfStretch> stretches;  ///< those of all ranks
  std::vector<Imbalance> imbalances;
  std::vector<MovedWork> moved;
  std::vector<SlowedStretch> slowed;
  /// Something looks changed, whether that is clear or not: more runs would tell.
  bool is_suspect = false;
  /// How many seconds all work took for a second of work before: the computer's speed, or what was changed
  /// everywhere. Nobody can tell these apart.
  double slowdown = 1;
};

/// How work is distributed over ranks and between calls. Ranks are compared within a run, because all of them
/// are slower if the computer is, and then the runs before with those after, by their order. How fast the
/// computer was does not count, nor whether a rank was slower at all of its places: it may have had a busier
/// core.
/// With fewer than least_runs of either, nothing has changed.
WorkChanges compare_work(const WorkOfRuns& before, const WorkOfRuns& after, const WorkRules& rules = {});

}  // namespace finegrain::changes
