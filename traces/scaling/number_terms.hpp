// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "traces/scaling/rule_search.hpp"
#include "traces/scaling/where.hpp"

namespace finegrain::scaling {

/// A quantity that a size or a count may be a multiple or a part of, with its values at the samples: rules
/// are tried by these.
struct Term {
  Value value;
  std::string text;
  int tier = 0;                 ///< as that of a rule
  std::vector<Number> at = {};  ///< shape [samples]
  std::size_t different = 0;    ///< values there, at most 3: more are not asked for

  /// With its values at the samples.
  Term known_at(std::span<const Sample> samples) &&;
};

/// Ranks, sides of the grid, and products of sides.
std::vector<Term> terms_of_ranks(std::span<const Sample> samples);
/// Their base is 2. @param terms  at the same samples, as below
std::vector<Term> logarithms_of(const std::vector<Term>& terms, std::span<const Sample> samples);
std::vector<Term> squares_of(const std::vector<Term>& terms, std::span<const Sample> samples);
/// Steps of the loops that are around all samples.
std::vector<Term> terms_of_steps(std::span<const Sample> samples);
/// 2, 4 and 8 to the power of the steps.
std::vector<Term> powers_of(const std::vector<Term>& steps, std::span<const Sample> samples);
/// A rank's place among all, and along each side of the grid, and its lowest bit.
std::vector<Term> terms_of_places(std::span<const Sample> samples);
/// The product of the grid's sides across a message's way.
Term face_of(std::span<const Sample> samples);

}  // namespace finegrain::scaling
