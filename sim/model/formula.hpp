// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/model/hardware.hpp"
#include "sim/model/prediction.hpp"
#include "sim/schedule/counts.hpp"
#include "traces/run.hpp"

namespace finegrain {

/// What a term's count costs: bytes over W_private or W_remote, or tau apiece.
enum class Cost : std::uint8_t { private_bytes, remote_bytes, tau };

/// How the ranks' times of a term enter the total.
enum class Gathering : std::uint8_t {
  most_of_node,              ///< the largest of the node's ranks'
  sum_of_node,               ///< all of the node's ranks'
  ranks_times_most_of_node,  ///< as if each of the node's ranks had the largest (eq. (20), as_published)
  of_rank,                   ///< together with the rank's other terms of this kind
};

/// One term of the closed form: a count of every rank, times what one of them costs.
struct FormulaTerm {
  std::string part;  ///< member of RankPrediction without the unit, e.g. "pack"; several terms may share it
  std::string equation;  ///< e.g. "(12)"
  std::string symbol;    ///< of the count, e.g. "S_local,out"
  std::string counted;   ///< what it counts, e.g. "values sent within the node"
  std::string each;  ///< the bytes of one as the equation has them, e.g. "2 sizeof(double)"; empty for tau
  double bytes_each = 0;
  double cache_lines_each = 0;  ///< on top of bytes_each
  Cost cost = Cost::private_bytes;
  Gathering gathering = Gathering::of_rank;
};

/// The closed form of one run taken apart: what the report and `explain` show. The total is
///
///     max over nodes (sum of the terms gathered of the node)
///       + max over ranks (sum of the terms of the rank)
struct Formula {
  std::string total_equation;
  std::vector<FormulaTerm> terms;
  std::vector<std::vector<double>> counts;  ///< shape [ranks][terms]
};

/// @param counts  of every rank, shape [run.ranks]; not looked at for heat
/// @pre has_closed_form(run)
Formula formula_of(const Run& run, std::span<const RankCounts> counts, ClosedForm form);

/// The counts of what `rank` exchanges with one other rank, in the equations' own direction: what condensed
/// and block puts send to it, what the others get of it. Shape [terms] of formula_of(); all 0 if they
/// exchange nothing. What the other rank unpacks of it is counted too.
std::vector<double> counts_with_peer(const Run& run, std::span<const RankCounts> counts, ClosedForm form,
                                     int rank, int peer);

/// @throws InputError if count > 0 and the platform lacks tau or remote_bandwidth where the term needs it
double term_s(const FormulaTerm& term, double count, const Hardware& hardware);

/// One term's part of the total, of one node.
double gathered_s(const Formula& formula, std::size_t term, int node, const Placement& placement,
                  const Hardware& hardware);

/// Where the maxima are, and what they are.
struct FormulaTotal {
  int node = 0;       ///< the slowest
  double node_s = 0;  ///< its gathered terms
  int rank = 0;       ///< the slowest by its own terms
  double rank_s = 0;
  double total_s() const { return node_s + rank_s; }
};

/// The same total as predict_run(), but for rounding.
FormulaTotal total_of(const Formula& formula, const Placement& placement, const Hardware& hardware);

}  // namespace finegrain
