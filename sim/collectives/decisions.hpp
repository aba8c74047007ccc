// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/collectives/algorithm.hpp"

namespace finegrain::collectives {

class DecisionTable;

/// Algorithms that users choose by name, instead of those of an MPI library's table.
class Overrides {
 public:
  /// @param text  "allreduce=ring", "bcast=binomial:8192", "reduce=chain:65536:4": after the algorithm bytes
  /// of a segment (0: messages are not cut) and the fan, both 0 where they are not named
  /// @throws InputError if there is no such collective or algorithm, naming those that there are, or if one
  /// was chosen for this collective already
  void add(std::string_view text);
  /// Chooses for calls of Call::chosen == number only.
  /// @param algorithm  "ring", "chain:65536:4"
  void add_for(std::int32_t number, CollectiveKind kind, bool blocking, std::string_view algorithm);
  /// nullptr: the library decides.
  const Choice* of(const Call& call) const;

 private:
  std::map<std::tuple<std::int32_t, CollectiveKind, bool>, Choice> choices_;  // by number, kind, blocking
};

/// Which algorithm carries out a call: that of an MPI library's decision table, or a user's.
class Decisions {
 public:
  /// @param mpi  one of mpi_names(), such as "openmpi-4.1"
  /// @throws InputError if there is no table of that name, naming those that there are
  explicit Decisions(std::string_view mpi, Overrides overrides = {});
  /// Choices point to their decisions.
  Decisions(const Decisions&) = delete;
  Decisions& operator=(const Decisions&) = delete;

  /// How the call is carried out: an algorithm whose rounds can be asked for.
  Choice choose(const Call& call) const;

 private:
  const DecisionTable& table_;
  Overrides overrides_;
};

/// The MPI libraries whose tables there are.
std::vector<std::string_view> mpi_names();

/// The name of MPI's function in lower case and without "MPI_": "bcast", "iallreduce", ...
std::string collective_name(CollectiveKind kind, bool blocking);
/// The kind of such a name, and whether it blocks. @throws InputError if there is none of that name
std::pair<CollectiveKind, bool> collective_of(std::string_view name);

}  // namespace finegrain::collectives
