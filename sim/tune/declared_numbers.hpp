// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/study_file.hpp"

namespace finegrain::tune {

/// The factor by which a declared number (one that was not measured) may be wrong.
inline constexpr double declared_margin = 1.2;

/// One number of a platform that a simulation uses, changed.
struct ChangedNumber {
  std::string text;              ///< "message_overhead x1.2"
  study::PlatformChange change;  ///< together with everything else that is set
};

/// Changes one number at a time: every number that simulations on a platform use and that nobody measured is
/// once multiplied and once divided by declared_margin. link_bandwidth counts as measured if
/// remote_bandwidth was, and link_latency if message_overhead was, because calibrate measures them together.
/// Numbers that are zero are left out.
/// @param set  names and values that win over the file
std::vector<ChangedNumber> changed_numbers(const std::filesystem::path& platform,
                                           const study::PlatformChange& set);

/// What the leading candidates need after one number was changed, in the objective's unit.
struct NumberTried {
  std::size_t platform = 0;                   ///< index into StudyFile::platforms
  std::string text;                           ///< ChangedNumber's
  std::vector<std::optional<double>> values;  ///< simulated, shape [leading candidates]
};

/// A change under which another candidate wins.
struct OtherWinner {
  const NumberTried* number;
  std::size_t winner;  ///< index into the leading candidates
};

/// The changes under which another candidate beats the first one by more than a simulation's precision.
std::vector<OtherWinner> other_winners(const std::vector<NumberTried>& numbers);

}  // namespace finegrain::tune
