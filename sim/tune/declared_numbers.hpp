// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/study_file.hpp"

namespace finegrain::tune {

/// How far a number that is only declared may be off.
inline constexpr double declared_margin = 1.2;

/// One number of a platform that a simulation uses, changed.
struct ChangedNumber {
  std::string text;              ///< "message_overhead x1.2"
  study::PlatformChange change;  ///< together with everything else that is set
};

/// Every number that simulations on a platform use and that nobody measured, times and through
/// declared_margin, each alone. link_bandwidth counts as measured where remote_bandwidth was, and
/// link_latency where message_overhead was: calibrate finds them together. Zeros stay.
/// @param set  names and values that win over the file
std::vector<ChangedNumber> changed_numbers(const std::filesystem::path& platform,
                                           const study::PlatformChange& set);

/// What the leading candidates then take, in the objective's unit.
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

/// Of the changes those under which the first candidate no longer is the best by more than a simulation is
/// exact to.
std::vector<OtherWinner> other_winners(const std::vector<NumberTried>& numbers);

}  // namespace finegrain::tune
