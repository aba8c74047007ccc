// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "traces/program_summary.hpp"

namespace finegrain {

/// A place (or function) of a program, before and after a change of the program.
struct PlaceChange {
  std::optional<std::size_t> before;  ///< its index there; none: it is new
  std::optional<std::size_t> after;   ///< none: it is gone
};

/// Which place of a program is which of the changed program. Lines move when others are added above them, so
/// places of one function in one file are matched in the order of their lines, such that most of them have
/// the same calls, messages and bytes.
/// @returns each place once, in the order of `after`, then those that are gone
std::vector<PlaceChange> match_places(std::span<const FunctionSummary> before,
                                      std::span<const FunctionSummary> after);

/// Whether calls, messages and bytes are the same.
bool is_alike(const FunctionSummary& one, const FunctionSummary& other);

}  // namespace finegrain
