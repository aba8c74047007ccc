// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string_view>

#include "sim/policy/closed_form.hpp"

namespace finegrain {

/// Seconds of one part of a rank; 0 where the formula has no such part.
inline double part_s(const model::Prediction& prediction, std::string_view part, std::size_t rank) {
  const auto found = std::ranges::find(prediction.parts, part, &model::PartPrediction::part);
  return found == prediction.parts.end() ? 0 : found->ranks_s.at(rank);
}

}  // namespace finegrain
