// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "traces/run.hpp"

namespace finegrain {

/// A way to communicate; policies.hpp says what each program does, phase by phase.
struct Program {
  Policy policy;
  Transfer transfer;
  Completion completion;

  friend bool operator==(const Program&, const Program&) = default;
};

std::vector<Program> spmv_programs();
std::vector<Program> heat_programs();

/// The first in the order each, together, overlapped that there is.
std::optional<Completion> usual_completion(const std::vector<Program>& programs, Policy policy,
                                           Transfer transfer);

/// @throws InputError if no program runs so, naming those that the policy has
void check_program(const Run& run);

}  // namespace finegrain
