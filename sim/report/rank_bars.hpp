// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "sim/policy/closed_form.hpp"
#include "sim/replay/replay.hpp"
#include "sim/report/report_data.hpp"

namespace finegrain::report {

/// Per rank: the time of every phase, and the bytes that it gets from its node and from others, as in
/// Figures 1 and 2 of Lagravière et al. 2019. Of more ranks than `most_bars`, least, mean and most of groups
/// of neighbours.
nlohmann::json rank_bars_of(const ReportRun& run, const replay::ReplayResult& simulated,
                            const std::optional<model::Prediction>& closed_form, int most_bars = 128);

}  // namespace finegrain::report
