// SPDX-License-Identifier: MIT
#pragma once

namespace finegrain::kernels {

/// Moves bytes over the memory of this rank's node, in simulated time: all ranks of the node share its
/// memory_bandwidth equally, and none gets more than memory_bandwidth_per_core x its threads, rounded to
/// whole cores' shares (docs/platforms.md).
void move_over_memory(double bytes);

/// Lets the platform's message_overhead pass in simulated time.
void advance_clock_by_overhead();

/// Whether a rank of MPI_COMM_WORLD runs on this one's node.
bool is_on_this_node(int rank);

}  // namespace finegrain::kernels
