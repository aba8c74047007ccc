// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/sensitivity/sensitivity.hpp"

namespace finegrain::report {

/// What the page shows of sensitivities, in seconds of the whole run, the largest gain first.
/// @param question  the question that they answer; of its speed-ups, all are slow-downs: a number's
/// "tolerated" says how many times worse it may be until then, or null
nlohmann::json sensitivity_data(const sensitivity::Sensitivities& found,
                                const sensitivity::Question& question);

}  // namespace finegrain::report
