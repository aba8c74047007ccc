// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "traces/operation.hpp"

namespace finegrain {

// The parts of a call's name where calls are named by place, "MPI_Isend halo.c:88"; otherwise it is a
// function.

/// "MPI_Isend"
std::string_view function_of(RegionName call);
/// "halo.c:88", or the function where its line is not known.
std::string_view line_of(RegionName call);
/// "halo.c"
std::string_view file_of(RegionName call);
/// Whether two calls may be of one file: "halo.c" and "ocean/halo.c" may, since a file has the longer name
/// where another one of its name is called from, too.
bool may_be_of_one_file(RegionName a, RegionName b);
/// 88, or 0 where it is not known.
unsigned line_number_of(RegionName call);

/// Moments of a recording that are named as calls are: from when on, and until when, the work of a thread
/// other than a rank's first counts. Whether they are there depends on the recorder and on whether the thread
/// ends, so nothing counts or compares them.
inline constexpr std::string_view thread_begins = "thread begins";
inline constexpr std::string_view thread_ends = "thread ends";
bool is_moment_of_thread(RegionName call);

}  // namespace finegrain
