// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/replay/observers/step_log.hpp"
#include "sim/replay/timeline.hpp"

namespace finegrain::replay {

/// By rank, then time.
std::vector<PhaseSpan> phase_spans(const StepLog& log);
/// Puts and gets by the rank that posts them, then time; then sent messages, in bytes as they were sent.
std::vector<MessageSpan> message_spans(const StepLog& log);

}  // namespace finegrain::replay
