// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace finegrain::formats {

// What a time-independent trace does not say, as the import counts it: "3 actions ...".
inline constexpr std::string_view lost_starts =
    "start persistent requests (Startall), and the trace does not say which: these messages are missing";
inline constexpr std::string_view lost_locks =
    "lock a window or wait for its epochs, and the trace does not say at which rank: they keep nobody "
    "waiting";
inline constexpr std::string_view guessed_any =
    "wait for some of several requests, and the trace does not say for which: the oldest receive is taken";
inline constexpr std::string_view lost_tests =
    "test several requests, and the trace does not say which are complete: they complete none";
inline constexpr std::string_view no_request =
    "wait for a request that is not open (a line before may have completed it): they wait for nothing";
inline constexpr std::string_view later_waits =
    "wait for fewer requests than are open, and the trace does not say for which: all are taken, as "
    "SMPI's replayer does";
inline constexpr std::string_view other_communicators =
    "make communicators, and the trace does not say of which one a message or a collective is: all are taken "
    "as of all ranks";
inline constexpr std::string_view lost_files =
    "read or write files, and the trace does not say how long that took: they take no time";
inline constexpr std::string_view lost_migrations =
    "may move a rank to another host (AMPI_Migrate): it stays";
inline constexpr std::string_view whole_flops =
    "compute a part of a flop more than whole ones, in which work is counted: they take one more or less";
inline constexpr std::string_view lost_blocks =
    "are MPI_Reduce_scatter_block, of which SMPI writes the size as a number of zeros";

}  // namespace finegrain::formats
