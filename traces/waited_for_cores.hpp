// SPDX-License-Identifier: MIT
#pragma once

namespace finegrain {

/// In the environment of a kernel's manifest: how long its ranks waited for a core while they were recorded,
/// of the time in which they could have run; the largest share of a rank, e.g. "12.3 %".
constexpr const char* waited_for_cores = "waited for cores";

/// In the environment of a program's manifest, where they are several: how many threads of a rank worked, the
/// most of any rank, e.g. "4".
constexpr const char* threads_of_a_rank = "threads of a rank";

}  // namespace finegrain
