// SPDX-License-Identifier: MIT
#pragma once

namespace finegrain {

/// In the environment of a kernel's manifest: how long its ranks waited for a core while they were recorded,
/// of the time in which they could have run; the largest share of a rank, e.g. "12.3 %".
constexpr const char* waited_for_cores = "waited for cores";

}  // namespace finegrain
