// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/answer/evaluate.hpp"

namespace finegrain::answer {

/// How far truth is from answers, for one kind of work or traffic: measured / answered, in nine of ten cases.
struct Discrepancy {
  double low;
  double high;
  int samples;              ///< measured ones; 0: nobody measured this kind, and these are assumptions
  std::string_view kind;    ///< what it is of, for notes
  std::string_view origin;  ///< where that was measured, for notes
};

/// A part of a simulated time.
struct TimePart {
  double seconds;
  const Discrepancy* discrepancy;
};

/// What a simulated time is made of: its work and what the network takes. Waiting for late partners counts
/// for both, as their own seconds do. An example: of 10 s a rank works 6, waits 2 for late partners, and the
/// network takes 2; so work is 7.5 s, and the network 2.5 s.
/// @returns empty where there is no simulation of a run that has the machine to itself
std::vector<TimePart> parts_of_time(const Answer& answer);

/// Where the true time lies in nine of ten cases.
struct Interval {
  double low_s;
  double high_s;
};

/// The parts' discrepancies are independent of one another, so distances from the time add up as squares do.
/// @returns none where there are no parts
std::optional<Interval> interval_of(const Answer& answer);

/// What the intervals of these answers come from; empty where no answer has one.
std::vector<std::string> interval_notes(std::span<const Answer> answers);

/// Two ways to run a program on one platform.
struct Decision {
  double slower_over_faster = 1;  ///< simulated seconds, at least 1
  bool in_turn = false;           ///< one of them waits for each put or get before the next
};

/// How likely the way that is simulated to be faster is faster: of pairs of ways on the testbed, the share
/// whose ratio was off by less than theirs, and half of the others.
/// @returns none on networks that were never compared with measurements
std::optional<double> chance_of_being_right(const Decision& decision, const platform::PlatformCosts& costs);

}  // namespace finegrain::answer
