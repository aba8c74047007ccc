// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/answer/evaluate.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::study {

/// What is kept of the closed form or the simulation of a point. Times are in seconds and cover all
/// iterations.
struct Answer {
  std::optional<double> total_s;
  /// Names and times. Of a kernel, its phases in program order, each with the time of its slowest rank
  /// (closed form: by eqs. (16) to (22)). Of a recorded program, its functions, each with the mean time of a
  /// rank, the longest first. Of jobs, the time of each alone and together.
  std::vector<std::pair<std::string, double>> phases_s;
  /// A simulation's names (answer::quantities()) and values of kept_quantities. Of jobs, the largest of
  /// theirs.
  std::vector<std::pair<std::string, double>> quantities = {};
  std::string none_because;  ///< why there is no total; else empty
  bool interrupted = false;  ///< the simulation was killed or got no memory; a new attempt may succeed

  /// @param name  a quantity's @returns none if the point has no such value
  std::optional<double> quantity(std::string_view name) const;

  friend bool operator==(const Answer&, const Answer&) = default;
};

/// For sim/replay/bytes.hpp.
inline auto parts_of(Answer& answer) {
  return std::tie(answer.total_s, answer.phases_s, answer.quantities, answer.none_because,
                  answer.interrupted);
}

/// What is kept of a simulation. @pre the answer has one
Answer simulated_answer(const answer::Answer& answer);

/// What is kept of a closed form, or that there is none.
Answer closed_form_answer(const answer::Answer& answer);

/// What is kept of jobs that share a machine: when the last one ends, and each one's time alone and together
/// with the others.
Answer answer_of_jobs(std::span<const answer::Answer> jobs);

/// The answer to a point that could not be evaluated.
Answer no_answer(const InputError& error);

}  // namespace finegrain::study
