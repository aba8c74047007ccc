// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "traces/scaling/recorded_ranks.hpp"

namespace finegrain::scaling {

/// What disturbances added to the work of recordings.
struct LeftOut {
  double added_ns = 0;
  double work_ns = 0;             ///< that of all recordings, with it
  std::int64_t disturbed = 0;     ///< stretches of work
  std::int64_t stretches = 0;     ///< all of them
  double on_shared_cores_ns = 0;  ///< what else came and went where ranks shared cores; not in added_ns
};

/// Work that took far longer than usual because something else used the computer: an interrupt, a page that
/// the kernel had to find, a wait for a core that the recorder did not see. Each rank has few of them, but
/// one of 20 ms among stretches of 40 us spoils any mean. They get their usual time instead.
///
/// A stretch is the work before one call; stretches between the same two places are of one kind. The
/// usual time of the n-th stretch of a kind on a rank is the greater of two medians: that of the n-th on all
/// ranks, and that of all of its kind on this rank. So what is slow on one rank in every iteration stays, and
/// so does what is slow in one iteration on all ranks, as the first use of memory is. A stretch is disturbed
/// if it took more than 5 times its usual time, and all these hold:
///
/// * fewer than 5 % of its kind's stretches in this recording took as long: what is frequent is the
/// program's;
/// * in another recording, no rank's n-th stretch took at least half as much longer than usual: what a rank
///   does in every run, as reading a file, is the program's, too.
///
/// Where ranks shared cores, most of them are disturbed now and then by less than that. There, each stretch
/// of a kind that a rank has at least eight of takes what is usual on this rank, as often as it is heavier on
/// the median rank (UndisturbedWork).
LeftOut leave_out_disturbances(std::vector<Recording>& recordings);

}  // namespace finegrain::scaling
