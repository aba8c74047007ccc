// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/cli/platform_options.hpp"
#include "sim/cli/workload_options.hpp"
#include "sim/graph/placement_rule.hpp"
#include "sim/output/table.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/platform/platform.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/policy.hpp"
#include "sim/replay/replay.hpp"
#include "traces/programs.hpp"

namespace finegrain::cli {

/// Opens the matrix, or what else the flags name, for all questions that this process and its children will
/// be asked about it. @throws InputError if it cannot be opened
void open_patterns(const WorkloadOptions& options);

/// What a trace's run ran on; null: that needs a flag that was not given.
/// @throws InputError if the flag names another problem, or is another pattern's
std::shared_ptr<const pattern::Pattern> pattern_of_trace(const std::map<std::string, std::string>& problems,
                                                         const Run& run, const std::string& trace);

/// The notes of the pattern of a trace, and of where its ranks are. @param pattern  null: not known
std::vector<std::string> notes_of(const std::shared_ptr<const pattern::Pattern>& pattern,
                                  const WorkloadOptions& options);

/// Its counts where its ranks are, shape [ranks]; empty where they are not needed, or the pattern is null.
std::vector<pattern::RankCounts> counts_of(const std::shared_ptr<const pattern::Pattern>& pattern,
                                           const Run& run, const problem::Placement& placement);

/// A run on a platform, as places in Workload::runs() and among the platforms.
struct RunOnPlatform {
  std::size_t run;
  std::size_t platform;
};

/// What the flags ask for: one run for each number of ranks, on one problem. Where --ranks-per-node is not
/// given, it is what a node of the platform holds, so that platforms may have runs of their own.
class Workload {
 public:
  /// Opens the matrix. On a platform whose nodes have different numbers of cores, each holds as many ranks as
  /// it has cores, where --ranks-per-node is not given.
  /// @throws InputError for flags that ask for nothing, or for what is impossible
  explicit Workload(const WorkloadOptions& options, std::span<const platform::Platform> platforms = {});

  const std::shared_ptr<const pattern::Pattern>& pattern() const { return pattern_; }
  /// Those that differ, by number of ranks.
  const std::vector<Run>& runs() const { return runs_; }
  /// Which run is on which platform: each number of ranks on all platforms, then the next number.
  const std::vector<RunOnPlatform>& by_ranks() const { return on_platforms_; }
  /// The same, with all runs of a platform side by side.
  std::vector<RunOnPlatform> by_platforms() const;
  /// Where the ranks of each run are before any placement is asked for: blocks. Shape [runs]
  const std::vector<problem::Placement>& blocks() const { return blocks_; }
  /// e.g. "heart.fgm (left ventricle ...)" or "20000x40000 points"
  const std::string& name() const { return name_; }
  /// What every answer about it says: of its problem, and of where its ranks are.
  const std::vector<std::string>& notes() const { return notes_; }
  /// @param counts  this run's, from counts()
  Schedule schedule(const Run& run, std::span<const pattern::RankCounts> counts = {}) const;
  /// Counts of every rank of every run, shape [runs][ranks]; without ranks where the closed form needs
  /// none.
  std::vector<std::vector<pattern::RankCounts>> counts() const;
  /// Where the ranks of a run are. @param counts  this run's, from counts(): local and remote are counted
  /// anew
  problem::Placement place(const Run& run, std::vector<pattern::RankCounts>& counts) const;
  /// Where the ranks of a schedule are. @param schedule  that of one of the runs
  problem::Placement placement(const Schedule& schedule) const;

 private:
  void add(Run run, problem::Room room);
  /// The room of a run's nodes. Empty: they hold equally many ranks in blocks, or only the last holds fewer.
  problem::Room uneven_room(const Run& run) const;
  /// @throws InputError if the run asks for what nodes with different numbers of ranks have not
  problem::Placement place_unevenly(const Run& run, const problem::Room& room) const;

  std::shared_ptr<const pattern::Pattern> pattern_;
  std::vector<Run> runs_;
  std::vector<RunOnPlatform> on_platforms_;
  std::vector<problem::Placement> blocks_;  ///< shape [runs]
  std::vector<problem::Room> rooms_;        ///< shape [runs]
  graph::PlacementRule placement_rule_;
  graph::HopsOf hops_of_;
  std::string name_;
  std::vector<std::string> notes_;
};

graph::PlacementRule placement_rule(const WorkloadOptions& options);

/// For the placement topology. @param platforms  they stay as they are; empty unless it is one
graph::HopsOf hops_on(std::span<const platform::Platform> platforms);

/// What `place` returns. While it looks at routes, which may take long, a terminal shows that.
problem::Placement with_progress(graph::PlacementRule rule, int ranks,
                                 const std::function<problem::Placement()>& place);

/// Where a hostfile or a rankfile puts the ranks of a recording, and then how many of them a node has at
/// most. None: the platforms have no list of nodes, or the flags say how many ranks a node has.
/// @throws InputError if the files have no room for the ranks, or not the same on each platform
std::optional<problem::Placement> listed_placement(std::span<const platform::Platform> platforms,
                                                   const WorkloadOptions& options, Run& run);

/// placement_by(), with progress. @throws InputError as it does
problem::Placement placement_on(std::span<const platform::Platform> platforms, graph::PlacementRule rule,
                                const Schedule& schedule);

/// The same as for one run on one platform, of all that a workload has.
void check_cores(const Workload& workload, std::span<const platform::Platform> platforms,
                 const PlatformOptions& options);
std::vector<std::string> oversubscription_notes(const Workload& workload,
                                                std::span<const platform::Platform> platforms);
/// @param options  those of the platforms that the workload is for
std::vector<std::string> derived_notes(const Workload& workload, const PlatformOptions& options);

/// A note for tables: nothing for block, which is what nobody has to be told.
std::vector<std::string> placement_notes(const WorkloadOptions& options);

/// Warns in one line where a node has less memory than its ranks need. @param counts  the run's, or none
void warn_of_memory(const Run& run, std::span<const pattern::RankCounts> counts,
                    const problem::Placement& placement, const platform::Platform& platform);

}  // namespace finegrain::cli
