// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "traces/operation.hpp"
#include "traces/programs.hpp"

namespace finegrain::changes {

/// What a rank did from one place of the program, or all ranks together.
struct PlaceCounts {
  std::int64_t calls = 0;
  std::int64_t messages = 0;  ///< posted, receives too
  double bytes = 0;           ///< those of messages and of collective operations
  std::uint64_t peers = 0;    ///< a hash of the messages to and from each rank, whatever their order

  PlaceCounts& operator+=(const PlaceCounts& other);
  friend bool operator==(const PlaceCounts&, const PlaceCounts&) = default;
};

/// The first and the last of a rank's calls from a place, as numbers among all of the rank's calls.
struct CallRange {
  std::int64_t first = 0;
  std::int64_t last = -1;

  std::int64_t length() const { return last - first; }
};

/// A place of a program, "MPI_Isend halo.c:88", from which something was posted, completed or agreed on.
struct Place {
  RegionName name;
  std::vector<PlaceCounts> ranks;  ///< shape [ranks]
  std::vector<CallRange> ranges;   ///< shape [ranks]
  bool only_completes = true;      ///< it posts nothing, and is no collective

  PlaceCounts all() const;
};

/// What a program did, its times aside. Calls that found nothing, and moments of threads, are left out.
struct Structure {
  std::vector<Place> places;  ///< in the order in which rank 0 came to them first; then rank 1, ...
  int ranks = 0;
  /// It receives from any source, tests, probes, or takes whichever request is complete: what it does where
  /// may differ from run to run, though nobody changed it.
  bool depends_on_time = false;
};

Structure structure_of(const Programs& programs);

/// Whether the call depends on what had arrived when it was made: it found nothing, or might have.
bool depends_on_arrival(const Body& call);

/// A place before and after a change of the program, as indices into Structure::places.
struct PlaceMatch {
  std::optional<std::size_t> before;  ///< none: it is new
  std::optional<std::size_t> after;   ///< none: it is gone
};

/// Which place of a program is which of the changed program: pairs of one function, in the order in which
/// ranks come to them, such that most do the same. Lines may move, and whole functions of the source too:
/// ranks still come to them in the same order. What is left on both sides, and does the same, is paired as
/// well.
std::vector<PlaceMatch> match_places(const Structure& before, const Structure& after);

/// What changed at a place.
struct StructureChange {
  std::optional<RegionName> before;  ///< none: it is new
  std::optional<RegionName> after;   ///< none: it is gone
  PlaceCounts was;                   ///< all ranks' counts in the first run
  PlaceCounts is;
  bool only_completes = false;
};

/// Which places of two programs are the same, and what differs.
struct StructureChanges {
  std::vector<StructureChange> changes;
  std::vector<std::pair<RegionName, RegionName>> pairs;  ///< before and after, changed or not
  std::vector<RegionName> anchors;  ///< names before, of pairs with as many calls on each rank
};

/// Compares exactly, but where runs of one program differ among themselves: then something changed if it is
/// further off than runs of one program are from one another.
/// @param before, after  repeated runs of each, at least one; all with the same number of ranks
StructureChanges compare_structures(std::span<const Structure> before, std::span<const Structure> after);

}  // namespace finegrain::changes
