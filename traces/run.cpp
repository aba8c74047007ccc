// SPDX-License-Identifier: MIT
#include "traces/run.hpp"

#include <fmt/format.h>

namespace finegrain {

std::string_view to_string(Policy policy) {
  switch (policy) {
    case Policy::naive:
      return "naive";
    case Policy::individual:
      return "individual";
    case Policy::block:
      return "block";
    case Policy::condensed:
      return "condensed";
  }
  return "unknown";
}

std::string_view to_string(Transfer transfer) {
  switch (transfer) {
    case Transfer::get:
      return "get";
    case Transfer::put:
      return "put";
    case Transfer::two_sided:
      return "two-sided";
  }
  return "unknown";
}

std::string_view to_string(Completion completion) {
  switch (completion) {
    case Completion::each:
      return "each";
    case Completion::together:
      return "together";
    case Completion::overlapped:
      return "overlapped";
  }
  return "unknown";
}

std::string_view to_string(HeatUpdate update) {
  return update == HeatUpdate::swap ? "swap" : "copy";
}

std::string describe(const Run& run) {
  const char* kernel = std::holds_alternative<SpmvProblem>(run.problem) ? "spmv" : "heat";
  const Completion usual = run.transfer == Transfer::two_sided ? Completion::together : Completion::each;
  std::string text = fmt::format("{} {} {}", kernel, to_string(run.policy), to_string(run.transfer));
  if (run.completion != usual) text += fmt::format(" {}", to_string(run.completion));
  return text;
}

}  // namespace finegrain
