// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/output/table.hpp"

namespace finegrain::cli {

/// What differs between answers that were kept.
struct AnswersDiff {
  std::vector<output::Table> tables;  ///< "runs"; "regions" where both have them
  bool any = false;                   ///< a run's seconds differ, or only one file has it
};

/// Compares answers of compare, replay or study export, run by run and platform by platform. Differences of
/// regions add up to those of runs.
/// @throws InputError where a file has no such answers, or no run is in both
AnswersDiff diff_answers(const std::string& before, const std::string& after);

}  // namespace finegrain::cli
