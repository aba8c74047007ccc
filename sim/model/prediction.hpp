// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "traces/iteration.hpp"

namespace finegrain {

/// Two readings of the papers' equations. docs/model.md says, equation by equation, where they part.
enum class ClosedForm : std::uint8_t {
  as_printed,    ///< the equations to the letter
  as_published,  ///< what gives the predicted columns that the paper prints
};

std::string_view to_string(ClosedForm form);
/// @throws InputError if the text is neither "as_printed" nor "as_published"
ClosedForm parse_closed_form(std::string_view text);

/// Seconds per iteration of one rank; 0 where the policy has no such part.
struct RankPrediction {
  double compute_s = 0;  ///< eqs. (7), (22)
  double pack_s = 0;     ///< eqs. (12), (19)
  double local_s = 0;    ///< communication within the node: its term in eqs. (10), (11), (13), (20)
  double remote_s = 0;   ///< communication between nodes: its term in the same equations
  double copy_s = 0;     ///< eq. (14); heat: the copy of all points, where the arrays do not change places
  double unpack_s = 0;   ///< eqs. (15), (19)
};

/// Seconds per iteration of one node. Ranks of a node compute, pack and copy within it at the same time, so
/// those parts are the largest of its ranks'; they share its network, so remote_s is their sum. (Policy
/// individual has no part per node, eq. (16): the parts are its slowest rank's.)
struct NodePrediction {
  double compute_s = 0;
  double pack_s = 0;
  double local_s = 0;
  double remote_s = 0;
  double unpack_s = 0;
  /// What the total takes the maximum of over the nodes: eqs. (16), (17), (21), the first half of (18).
  double time_s = 0;
};

/// Seconds per iteration that the closed form charges to one step of the listing.
struct PhasePrediction {
  PhaseKind kind;
  double time_s = 0;
};

/// What the closed form says of one iteration.
struct Prediction {
  double total_s = 0;
  /// In program order, of the node and the rank that the maxima pick, so that they add up to total_s. A phase
  /// that the closed form charges nothing for (a barrier) is absent. Of two compute phases, each has its
  /// share of the rows or points.
  std::vector<PhasePrediction> phases;
  std::vector<RankPrediction> ranks;  ///< shape [run.ranks]
  std::vector<NodePrediction> nodes;  ///< shape [nodes]
};

/// Of the number-th phase of its kind, counted from 1; none where the closed form has no such phase.
std::optional<double> phase_time_s(const Prediction& prediction, PhaseKind kind, int number = 1);

}  // namespace finegrain
