// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/model/hardware.hpp"
#include "traces/operation.hpp"

namespace finegrain::model {

/// Two readings of the papers' equations. docs/model.md says, equation by equation, where they differ.
enum class ClosedForm : std::uint8_t {
  as_printed,    ///< the equations to the letter
  as_published,  ///< what gives the predicted columns that the paper prints
};

std::string_view to_string(ClosedForm form);
/// @throws InputError if the text is neither "as_printed" nor "as_published"
ClosedForm parse_closed_form(std::string_view text);

/// What one unit of a term's count costs: its bytes over W_private or W_remote, one tau, or a time of the
/// processor.
enum class Cost : std::uint8_t {
  private_bytes,
  remote_bytes,
  tau,
  call,
  search_step,
  shared_pointer_access,
  affinity_test
};

/// The property of the platform that says what one unit costs; empty for the costs that are bytes over a
/// bandwidth.
std::string_view apiece_name(Cost cost);
/// Seconds that one unit costs. @pre apiece_name(cost) is not empty. @throws InputError if it is tau and the
/// platform lacks it
double apiece_s(Cost cost, const platform::PlatformCosts& costs);

/// How the ranks' counts of a term enter the total.
enum class Gathering : std::uint8_t {
  most_of_node,              ///< the largest count of the node's ranks
  sum_of_node,               ///< the sum of the counts of the node's ranks
  ranks_times_most_of_node,  ///< as if each of the node's ranks had the largest (eq. (20), as_published)
  of_rank,                   ///< each rank by itself, together with its other terms of this kind
};

/// One term of the closed form: a count for each rank, times the cost of one unit.
struct FormulaTerm {
  std::string part;  ///< "compute", "pack", "local", "remote", "copy", "unpack"; several terms may share it
  std::string equation;  ///< e.g. "(12)"
  std::string symbol;    ///< the count's, e.g. "S_local,out"
  std::string counted;   ///< what it counts, e.g. "values sent within the node"
  std::string each =
      {};  ///< the bytes of one unit in the equation, e.g. "2 sizeof(double)"; empty: it has none
  double bytes_each = 0;
  double cache_lines_each = 0;  ///< on top of bytes_each
  Cost cost = Cost::private_bytes;
  Gathering gathering = Gathering::of_rank;
  std::size_t phase = 0;            ///< which of Formula::phases the term is charged to
  std::vector<double> counts = {};  ///< shape [ranks]
  /// The part of `counts` that an overlapped program does before it waits, in `early_phase`. Shape [ranks],
  /// or empty.
  std::vector<double> early_counts = {};
  std::size_t early_phase = 0;
};

/// What the closed form charges for the computation of one element.
struct ElementWork {
  double bytes = 0;
  std::string text;                 ///< the bytes in the equation's symbols, e.g. "3 sizeof(double)"
  std::string counted;              ///< the elements, e.g. "rows multiplied"
  std::int64_t block_elements = 0;  ///< those of a full block: BLOCKSIZE
  std::int64_t references = 0;      ///< to other elements, at most; 0: unknown
  /// References to the element's data in other arrays, which go through pointers to shared if these arrays
  /// are shared too; 0: unknown.
  std::int64_t shared_references = 0;
};

/// The closed form of one iteration. The total is
///
///     max over nodes (sum of the terms gathered of the node)
///       + max over ranks (sum of the terms of the rank)
struct Formula {
  std::string total_equation;
  /// Whether the counts are of what a rank sends. Otherwise they are of what it gets.
  bool counts_sent = false;
  /// The listing's steps that the terms are charged to, in program order. Steps that the equations do not
  /// charge for, such as a barrier, are absent.
  std::vector<RegionName> phases;
  std::vector<FormulaTerm> terms;
};

/// Seconds per iteration that the closed form charges to one step of the listing.
struct PhasePrediction {
  RegionName name;
  double time_s = 0;
};

/// Seconds per iteration of one part, of every rank.
struct PartPrediction {
  std::string part;
  std::vector<double> ranks_s;  ///< shape [ranks]
};

/// What the closed form says of one iteration.
struct Prediction {
  double total_s = 0;
  int node = 0;                 ///< the slowest by terms gathered over nodes; the first if several are equal
  int rank = 0;                 ///< the slowest by the terms of the rank; the first if several are equal
  std::vector<double> nodes_s;  ///< sum of the terms gathered over each node, shape [nodes]
  std::vector<double> terms_s;  ///< those of that node and that rank; they add up to total_s. Shape [terms]
  std::vector<PhasePrediction> phases;  ///< the same, by phase. Shape [phases]
  std::vector<PartPrediction> parts;    ///< in the formula's order
};

/// @throws InputError if count > 0 and the platform lacks tau or remote_bandwidth where the term needs it
double term_s(const FormulaTerm& term, double count, const Hardware& hardware);

/// The formula's value on a machine.
/// @throws InputError as term_s()
Prediction evaluate(const Formula& formula, const problem::Placement& placement, const Hardware& hardware);

/// Seconds of the number-th phase of that name, counted from 1; empty if the closed form has no such phase.
std::optional<double> phase_time_s(const Prediction& prediction, RegionName name, int number = 1);

}  // namespace finegrain::model
