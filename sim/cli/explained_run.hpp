// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "sim/answer/evaluate.hpp"
#include "sim/model/formula.hpp"
#include "sim/output/table.hpp"

namespace finegrain::cli {

/// Whose terms are shown.
struct ExplainedRank {
  std::optional<int> rank = {};  ///< none: the slowest one
  std::optional<int> to = {};    ///< the other end of the message; none: the one whose message costs most
};

/// The closed form of one run, step by step: tables of the machine, the rank, the message (if it has one) and
/// the total.
/// @throws InputError if the run has no closed form, or there is no such rank or message
std::vector<output::Table> explained_run(const answer::Answer& answer, model::ClosedForm form,
                                         const ExplainedRank& shown);

}  // namespace finegrain::cli
