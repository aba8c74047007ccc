// SPDX-License-Identifier: MIT
#pragma once

#include "sim/study/run_study.hpp"

namespace finegrain::cli {

/// Says what a study does: progress on a terminal, elsewhere a line in the log when something is finished.
study::StudyEvents study_progress();

}  // namespace finegrain::cli
