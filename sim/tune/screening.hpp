// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <vector>

#include "sim/tune/rounds.hpp"
#include "sim/tune/twins.hpp"

namespace finegrain::tune {

/// Chooses the candidates of which a few iterations are simulated (search.hpp).
class Screening {
 public:
  /// @param candidates  with their closed forms, if they have any
  explicit Screening(std::vector<Candidate>& candidates);

  std::vector<Candidate*> first();
  /// The candidates that are not screened yet and could win.
  Queue queue();

 private:
  /// The most similar simulated candidate: how different it is, and its simulation / closed form.
  struct Similar {
    double difference = std::numeric_limits<double>::infinity();
    double ratio = 1;
  };

  void add_twins(std::vector<Candidate*>& first) const;
  /// Takes in what has become known since the last time.
  void learn();

  std::vector<Candidate>& candidates_;
  std::vector<bool> learned_;     ///< shape [candidates]
  std::vector<Similar> similar_;  ///< shape [candidates]
  Twins twins_;
};

}  // namespace finegrain::tune
