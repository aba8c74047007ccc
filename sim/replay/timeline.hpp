// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// A rank in one phase of one iteration; waiting in it included.
struct PhaseSpan {
  std::int32_t rank;
  std::int32_t phase;  ///< index into its Body::regions
  std::int64_t iteration;
  double start_s;
  double end_s;
};

/// Bytes from one rank to another, as the replay moves them: puts or gets that it batches are one.
struct MessageSpan {
  TransferKind kind;  ///< send, put or get
  std::int32_t from;
  std::int32_t to;
  double bytes;
  double start_s;
  double end_s;  ///< complete at the rank that waits for it
  /// Where a rank posted it: an iteration, and the index into its Body::regions.
  struct Place {
    std::int64_t iteration = 0;
    std::int32_t phase = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
  };
  Place posted_in = {};  ///< a send's: by the sender
  // A send's:
  Place received_in = {};
  double expected_s = 0;        ///< when the receive was posted
  std::int32_t connection = 0;  ///< the n-th send that has this number is for the n-th receive that has it
};

/// What delayed the end of a run for a while.
struct PathPiece {
  enum class Kind : std::uint8_t {
    busy,      ///< a rank's own work and overheads
    transfer,  ///< a message, which `rank` waits for
    barrier,
    other,  ///< a wait whose cause is not followed: a lock, a fetch, a collective that goes on by itself
  };
  Kind kind;
  std::int32_t rank;
  std::int32_t peer;  ///< the message's other rank; else -1
  bool is_outgoing;   ///< it goes to that rank
  std::int32_t phase;
  std::int64_t iteration;
  double start_s;
  double end_s;
  std::int32_t links = -1;  ///< index into Timeline::path_links, of a message between nodes
  // A message's, if `rank` waits for something that `peer` has done:
  std::int32_t peer_phase = -1;  ///< where the peer was then; else -1
  double waits_since_s = 0;      ///< when the rank began to wait
  double waits_until_s = 0;
};

/// A link that flows share, and what crossed it in all.
struct LinkUse {
  std::string name;
  double bandwidth_bytes_per_s;
  double bytes;
  std::int32_t node;  ///< whose NIC it is: only its messages begin or end there; else -1
  /// The bytes of each of ReplayJob::groups; empty where there is one group.
  std::vector<double> bytes_of_groups = {};
};

/// What a simulated run did, from its first to its last moment.
struct Timeline {
  double makespan_s = 0;
  std::vector<PhaseSpan> phases;         ///< by rank, then time
  std::vector<MessageSpan> messages;     ///< by the rank that posts them, then time
  std::vector<PathPiece> critical_path;  ///< from 0 to the makespan without a gap
  /// The narrowest links of the routes of messages on it: names, with a star for each number.
  std::vector<std::string> path_links;
  std::vector<LinkUse> links;  ///< that bytes crossed, in the order of the platform file
  /// As ReplayResult::regions: of programs only, whose spans' and pieces' phases are places in it.
  std::vector<std::vector<std::string>> regions;
};

/// Steps of all ranks that a timeline keeps: about a gigabyte.
inline constexpr std::size_t most_logged_steps = 5'000'000;

/// Replays a job in full, and keeps what happened. Iterations are counted in programs, too: each body is one.
/// @throws InputError as replay_all() does, of a platform that changes over time, and if the ranks do more
/// than most_logged_steps
Timeline replay_timeline(const ReplayJob& job, const ReplayOptions& options = {});

/// Whether what happened on a platform can be told: not where it changes over time, nor where a message's way
/// is chosen by the load of links, or may be a longer one.
bool has_timeline(const platform::Platform& platform);

/// Replays the first iterations of a schedule, each in full, and keeps what happened. As replay() otherwise;
/// but platforms that change over time are not supported.
/// @throws InputError as replay() does
Timeline replay_timeline(const Schedule& schedule, const platform::Platform& platform,
                         std::int64_t iterations, const ReplayOptions& options = {},
                         const problem::Placement* placement = nullptr);

/// A rank in one region of a program; waiting in it included.
struct RegionSpan {
  std::int32_t rank;
  std::int32_t region;  ///< index into ProgramTimeline::regions of the rank
  double start_s;
  double end_s;
};

/// What the ranks of a simulated program did in a window of its time.
struct ProgramTimeline {
  double makespan_s = 0;
  std::vector<std::vector<std::string>> regions;  ///< as ReplayResult::regions
  std::vector<RegionSpan> spans;                  ///< in the order of their ends
  std::vector<LinkUse> links;                     ///< that bytes crossed, from the beginning to the end
  /// From the beginning to the end, if it was asked for; phases are as `regions`.
  std::vector<PathPiece> critical_path;
};

enum class WithPath : std::uint8_t { no, yes };

/// Replays a program in full, and keeps the regions of which some part lies in a window.
/// @param path  the critical path takes some 500 bytes of memory a call
/// @throws InputError as replay_all() does, and of a platform that changes over time
ProgramTimeline replay_program_timeline(const ReplayJob& job, double from_s, double until_s,
                                        const ReplayOptions& options = {}, WithPath path = WithPath::no);

}  // namespace finegrain::replay
