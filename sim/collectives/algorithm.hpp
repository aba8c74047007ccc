// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/operation.hpp"

namespace finegrain::collectives {

class Algorithm;
class Decisions;

/// A collective operation as one of its ranks sees it. Ranks are numbers in the communicator.
struct Call {
  CollectiveKind kind = CollectiveKind::barrier;
  bool blocking = true;
  bool commutative = true;
  int ranks = 1;
  int rank = 0;
  int root = 0;
  std::int64_t element_bytes = 1;
  /// As Collective::size_bytes says. Of a reduce_scatter_block: the block that a rank gets. Of a gatherv or a
  /// scatterv: this rank's own block.
  std::int64_t size_bytes = 0;
  /// As Collective::first_size says. Of a neighbour collective: how many it sends to, how many it receives
  /// from, then (rank, bytes) of the former and of the latter.
  std::span<const std::int64_t> sizes = {};
  std::int32_t chosen = 0;  ///< Collective::chosen
};

/// How a call is carried out.
struct Choice {
  const Algorithm* algorithm = nullptr;
  std::int64_t segment_bytes = 0;  ///< messages are cut into segments of this size; 0: they are not
  int fan = 0;                     ///< children of a rank, or the radix, where the algorithm has one
  /// Who chose it, and chooses for the collectives that the algorithm is made of.
  const Decisions* decisions = nullptr;
};

/// How the ranks of a communicator carry out a collective operation: an entry of the registry.
///
/// What a rank does is cut into rounds, and each round can be asked for alone. So a replay need not keep a
/// million messages. All ranks have the same number of rounds, but round 3 of one rank need not wait for
/// round 3 of another. A rank's operations are those of its rounds, one after the other.
class Algorithm {
 public:
  virtual ~Algorithm() = default;

  /// As MPI libraries call it, such as "binomial". One kind has one algorithm of a name.
  virtual std::string_view name() const = 0;
  virtual std::vector<CollectiveKind> kinds() const = 0;
  /// Itself, or the algorithm that a library takes instead, where this one cannot carry out the call.
  virtual Choice effective(const Call& /*call*/, Choice choice) const { return choice; }

  /// @pre the choice is an effective one, and call.ranks > 1
  virtual std::int64_t rounds(const Call& call, const Choice& choice) const = 0;
  /// Appends what the rank does in one round, in program order: posts to ranks of the communicator, with
  /// tag 0, completes of requests made in this round or an earlier one, and work.
  /// @pre 0 <= number < rounds()
  virtual void round(std::int64_t number, const Call& call, const Choice& choice,
                     std::vector<Operation>& out) const = 0;
};

/// Algorithms that share something, such as a tree: what a file of the registry defines.
class Family {
 public:
  std::vector<const Algorithm*> algorithms;
};

/// The kind's algorithm of that name. @throws InputError if there is none, naming those that there are
const Algorithm& algorithm(CollectiveKind kind, std::string_view name);
/// The names of all that carry out this kind, in alphabetical order.
std::vector<std::string_view> algorithm_names(CollectiveKind kind);

/// Rounds of a choice, also where its algorithm gives way to another one.
std::int64_t rounds(const Call& call, const Choice& choice);
void round(std::int64_t number, const Call& call, const Choice& choice, std::vector<Operation>& out);
/// All rounds of a rank. For tests and small communicators.
std::vector<Operation> expand(const Call& call, const Choice& choice);

}  // namespace finegrain::collectives
