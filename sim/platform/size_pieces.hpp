// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/platform/size_factors.hpp"

namespace finegrain::platform {

/// The time that a message of this size took.
struct TimedSize {
  double size_bytes;
  double seconds;
};

/// A line that holds for messages up to a size, and, if it is the last one, for all longer ones.
struct LinePiece {
  double up_to_bytes;
  double intercept_s;
  double s_per_byte;
};

/// Fits times by size as lines, each for the sizes that the one before leaves. How many lines there are is
/// decided by the times: one more has to make their deviations so much smaller that it cannot be chance.
/// @param times  by ascending size, each longer than 0 s
/// @param least_intercept_s  that a line may have
/// @returns one line or more, by ascending size
std::vector<LinePiece> fit_pieces(std::span<const TimedSize> times, double least_intercept_s);

/// What a message of this size takes. @pre there is a piece
double seconds_of(std::span<const LinePiece> pieces, double size_bytes);

/// What makes overhead + latency * factor + size / (bandwidth * factor) the pieces' times.
struct MessageFactors {
  SizeFactors latency;
  SizeFactors bandwidth;
};
MessageFactors factors_of(std::span<const LinePiece> pieces, double overhead_s, double latency_s,
                          double bandwidth_bytes_per_s);

/// As a platform file has them: "0B:1;65536B:2.5".
std::string text_of(const SizeFactors& factors);

}  // namespace finegrain::platform
