// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sim/replay/replay.hpp"
#include "traces/changes/same_work.hpp"
#include "traces/changes/structure.hpp"
#include "traces/changes/work.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::cli {

/// Repeated recordings of one program, read by place.
struct RecordedRuns {
  std::string folder;
  std::deque<Trace> traces;
  std::vector<std::unique_ptr<Programs>> programs;  ///< the traces'
  std::vector<changes::Structure> structures;
  changes::KnownPlaces places;
  changes::WorkOfRuns work;
  changes::WorkTable table;  ///< the work with which it is simulated

  int ranks() const { return structures.front().ranks; }
};

/// Two programs, before and after a change of one.
struct ComparedRuns {
  RecordedRuns before, after;
  changes::StructureChanges structure;
  changes::WorkChanges work;
};

/// Matches places, and gives both programs the same work wherever its change is not clear.
/// @pre programs and structures are there
void compare_runs(ComparedRuns& runs);

/// What a platform says of both.
struct PlatformTimes {
  std::string platform;
  std::vector<double> before_s, after_s;            ///< totals, of each run that was simulated
  replay::RegionSeconds own_before_s, own_after_s;  ///< a run's places', without waiting for late partners

  double was_s() const;
  double is_s() const;
  /// Relative to before; 0 where runs of one program are further apart than the two programs.
  double change() const;
};

/// What a person would write in a review.
struct Finding {
  std::string kind;                  ///< "structure", "work" or "time"
  std::string place;                 ///< "halo.c:88"
  std::string text;                  ///< "halo.c:88 sends 26 messages a step, was 6"
  std::vector<double> changes = {};  ///< on each platform, relative to its time before
};

/// What took longer on all ranks, which is not judged; empty: nothing did.
std::string note_of_work(const ComparedRuns& runs);

/// The most costly first.
std::vector<Finding> findings_of(const ComparedRuns& runs, const std::vector<PlatformTimes>& platforms);

}  // namespace finegrain::cli
