// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sim/tune/candidates.hpp"

namespace finegrain::tune {

/// Candidates that differ only in the settings of their policy. What a setting gains is similar in all
/// layouts of a program, so it is learned where both were simulated.
class Twins {
 public:
  /// @param candidates  outlives the object
  explicit Twins(const std::vector<Candidate>& candidates);

  /// Takes in what has become known since the last time.
  void learn();

  /// The least time, in a few iterations, that a candidate may take by what is known of its twins: that of a
  /// twin, times the least ratio seen between their settings, less a reserve. None if no twin was simulated,
  /// or their settings were not compared yet.
  std::optional<double> least_s(std::size_t candidate) const;

  /// The candidate's twins, without itself.
  std::vector<std::size_t> of(std::size_t candidate) const;

 private:
  /// Platform, matrix and program, and the positions of two variants of it.
  using Pair =
      std::tuple<std::size_t, std::size_t, std::string, Transfer, Completion, std::size_t, std::size_t>;
  Pair pair_of(std::size_t from, std::size_t to) const;

  const std::vector<Candidate>& candidates_;
  std::vector<std::vector<std::size_t>> groups_;      ///< candidates; only those with twins
  std::vector<std::optional<std::size_t>> group_of_;  ///< shape [candidates]
  std::map<Pair, double> least_ratio_;                ///< time of the second / time of the first
};

}  // namespace finegrain::tune
