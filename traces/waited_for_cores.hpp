// SPDX-License-Identifier: MIT
#pragma once

namespace finegrain {

/// In the environment of a kernel's manifest: how long its ranks waited for a core while they were recorded,
/// of the time in which they could have run; the largest share of a rank, e.g. "12.3 %".
constexpr const char* waited_for_cores = "waited for cores";

/// In the environment of a program's manifest, where they are several: how many threads of a rank worked, the
/// most of any rank, e.g. "4".
constexpr const char* threads_of_a_rank = "threads of a rank";

/// In the environment of a program's manifest, where several threads of a rank have called MPI: how much CPU
/// time threads other than the main one used before their first or after their last call, or without any, of
/// all ranks together, and the rank with the most. For example "1.250 s, most of it on rank 3: 0.612 s".
constexpr const char* uncounted_cpu_time = "CPU time of threads that is not in the trace";

/// In the environment of a program's manifest: how long threads slept, or waited for a file, a device or
/// another thread, between two calls of which the first found nothing; as uncounted_cpu_time.
constexpr const char* slept_between_tests = "slept between tests";

/// In the environment of a program's manifest: how long threads that call MPI slept while others of the rank,
/// which make no call, waited for a core; as uncounted_cpu_time.
constexpr const char* slept_for_threads = "slept while threads waited for a core";

/// In the environment of a program's manifest: functions of MPI whose calls are counted, and recorded no
/// further, with the calls of all ranks, e.g. "MPI_Comm_rank 2, MPI_Op_create 2".
constexpr const char* only_counted = "calls that are only counted";

}  // namespace finegrain
