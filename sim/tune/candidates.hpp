// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/study/points.hpp"

namespace finegrain {

/// What is to be tuned, and within what.
struct TuneQuestion {
  std::string matrix;
  std::vector<std::filesystem::path> platforms;
  std::vector<std::int64_t> nodes;
  std::vector<int> ranks_per_node;  ///< none: a rank a core, and half as many, of every platform
  int threads_per_rank = 1;
  std::int64_t iterations = 1000;
};

/// The numbers of a platform that the closed form looks at.
inline constexpr const char* closed_form_numbers[] = {"memory_bandwidth", "memory_bandwidth_per_core",
                                                      "cache_line", "tau", "remote_bandwidth"};

/// How far a number that is only declared may be off.
inline constexpr double declared_margin = 1.2;

/// Every way to run it, as the points of a study: all programs that have equations; BLOCKSIZE auto and powers
/// of two; every placement; and, on the axis `set`, the platforms as they are and with each of
/// closed_form_numbers that they all have times and through declared_margin, in this order.
StudyFile candidates(const TuneQuestion& question);

/// Whether a point is one of the first screening's: as the platforms are, placed block or cyclic, and another
/// one than block on more than one node alone.
bool is_screened(const StudyPoint& point, const StudyFile& study);

/// The point that differs in one axis.
const StudyPoint& sibling(const std::vector<StudyPoint>& points, const StudyPoint& point,
                          const StudyFile& study, Axis axis, std::size_t position);

}  // namespace finegrain
