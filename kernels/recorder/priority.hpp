// SPDX-License-Identifier: MIT
#pragma once

namespace finegrain::recorder {

/// Lowers this rank's priority if FINEGRAIN_PATIENT is in the environment. Ranks that share cores with their
/// launcher and spin while they wait can keep it from running until it takes them for lost.
void lower_priority_if_asked();

}  // namespace finegrain::recorder
