// SPDX-License-Identifier: MIT
#include "sim/model/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/io/input_error.hpp"

namespace finegrain {

std::string_view to_string(ClosedForm form) {
  return form == ClosedForm::as_printed ? "as_printed" : "as_published";
}

ClosedForm parse_closed_form(std::string_view text) {
  for (const ClosedForm form : {ClosedForm::as_printed, ClosedForm::as_published})
    if (text == to_string(form)) return form;
  throw InputError(
      fmt::format("--variant: '{}' is no variant of the closed form. Use as_printed or as_published", text));
}

std::optional<double> phase_time_s(const Prediction& prediction, PhaseKind kind) {
  const auto phase = std::ranges::find(prediction.phases, kind, &PhasePrediction::kind);
  return phase == prediction.phases.end() ? std::nullopt : std::optional(phase->time_s);
}

}  // namespace finegrain
