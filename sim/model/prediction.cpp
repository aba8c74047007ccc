// SPDX-License-Identifier: MIT
#include "sim/model/prediction.hpp"

#include <fmt/format.h>

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

std::optional<double> phase_time_s(const Prediction& prediction, PhaseKind kind, int number) {
  for (const PhasePrediction& phase : prediction.phases) {
    if (phase.kind == kind && --number == 0) return phase.time_s;
  }
  return std::nullopt;
}

}  // namespace finegrain
