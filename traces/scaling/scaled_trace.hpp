// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "traces/formats/imported_trace.hpp"
#include "traces/io/input_error.hpp"
#include "traces/scaling/recorded_ranks.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::scaling {

/// Called with what is done at the moment, how much of it is done, and how much it is at most.
using ScaleProgress = std::function<void(const char* what, std::size_t done, std::size_t of)>;

/// What to do where several rules fit the recordings, and differ on the new number of ranks.
enum class Exactly : std::uint8_t {
  usual_rule,  ///< take what most programs do, and say so: a neighbour in the grid, the end of a line
  one_rule,    ///< refuse
  typical      ///< as usual_rule; and where there is no rule, what the program usually does (TypicalProgram)
};

/// No rules say exactly what the program does on the new number of ranks; what is typical can be written
/// nevertheless.
class NoExactProgram : public InputError {
  using InputError::InputError;
};

/// Writes what a program does on another number of ranks, by rules that every number in the recordings obeys
/// (docs/scaling.md). Times of work follow no rule: they are extrapolated from the recordings.
/// @param recordings  two or more of one program, on different numbers of ranks
/// @throws NoExactProgram naming the operations that have no rule, or on which rules disagree, and other
/// InputErrors; then nothing is written
/// @param is_before  where calls are named by places: the order of these in the source
formats::Import scale_trace(const std::vector<const Trace*>& recordings, int ranks,
                            const std::filesystem::path& folder, Exactly exactly = Exactly::usual_rule,
                            const ScaleProgress& progress = {}, Sites::IsBefore is_before = {},
                            CallsNamed named = CallsNamed::by_function);

}  // namespace finegrain::scaling
