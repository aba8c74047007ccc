// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "traces/scaling/where.hpp"

namespace finegrain::scaling {

/// The rules of a size, a tag, or a number of steps, which all samples obey. The first of these that has any:
/// * a constant;
/// * a multiple of the ranks, their square or logarithm, or a side of the grid, or a part of a number that
///   these divide; each with a constant more or less, if there are three different samples or more;
/// * the same with the number of a step, or with 2, 4 or 8 to its power;
/// * a part that is rounded down or up, and what is left over spread over the first ranks or given to the
/// last;
/// * a multiple of a rank's number or place;
/// * what is constant in each step, or has a rule in each step, where all loops have as many;
/// * rules of two kinds of places, which a predicate tells apart.
/// @param samples  not empty
std::vector<Rule> number_rules(std::span<const Sample> samples);

/// The same for sizes in bytes: where all samples are multiples of an element's, another number is no size.
std::vector<Rule> size_rules(std::span<const Sample> samples, std::int64_t element_bytes = 8);

/// As number_rules(); but a constant that is also a side of the grid, one less, or its logarithm, is not
/// known where all recordings have the same side.
std::vector<Rule> count_rules(std::span<const Sample> samples);

}  // namespace finegrain::scaling
