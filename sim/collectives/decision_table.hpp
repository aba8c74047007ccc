// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "sim/collectives/algorithm.hpp"

namespace finegrain::collectives {

/// An MPI library's rules, from a file of tables/.
class DecisionTable {
 public:
  /// The numbers of ranks or bytes of a call for which a rule holds.
  struct Range {
    std::int64_t smallest = 0;
    std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    bool contains(std::int64_t number) const { return smallest <= number && number <= largest; }
  };
  /// Which bytes a rule looks at.
  enum class Measure : std::uint8_t {
    size,     ///< Call::size_bytes
    total,    ///< all ranks' blocks
    mean,     ///< a rank's block on average, rounded down
    elements  ///< none: the elements of all ranks' blocks
  };

  struct Rule {
    CollectiveKind kind;
    bool blocking;
    bool any_operation;  ///< whether it commutes or not
    bool commutative;
    Range ranks;
    bool power_of_two;  ///< only for a power of two of ranks
    Measure measure;
    Range bytes;
    Choice choice;
  };

  /// @param mpi  the file's name without its ending
  /// @throws InputError if there is none of that name, naming those that there are
  static const DecisionTable& of(std::string_view mpi);

  /// The first rule that holds. @throws InputError if none does: the library has no such collective
  const Rule& rule(const Call& call) const;
  const std::vector<Rule>& rules() const { return rules_; }

 private:
  DecisionTable(std::string_view mpi, std::string_view csv);

  std::string_view mpi_;
  std::vector<Rule> rules_;
};

}  // namespace finegrain::collectives
