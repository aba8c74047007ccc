// SPDX-License-Identifier: MIT
#pragma once

#include "sim/sensitivity/sensitivity.hpp"

namespace finegrain::cli {

/// sensitivities(), with its progress on the terminal.
sensitivity::Sensitivities simulated_sensitivities(const replay::ReplayJob& job,
                                                   const replay::ReplayOptions& options,
                                                   const sensitivity::Question& question);

}  // namespace finegrain::cli
