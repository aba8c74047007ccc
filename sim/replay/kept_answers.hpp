// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace finegrain::replay {

/// Answers of simulations, kept outside this process, so that an interrupted command need not simulate them
/// again. A command asks for groups of simulations, one group after the other. What it asks for depends on
/// nothing but its input and the answers that it has got, so these decide which answers are the same ones.
class KeptAnswers {
 public:
  virtual ~KeptAnswers() = default;

  /// The command asks for its next group. @returns the answers that are known, by their place in it
  virtual std::map<std::size_t, std::string> known_of_next_group(std::size_t simulations) = 0;
  /// @param place  in the group
  virtual void keep(std::size_t place, std::string_view answer) = 0;
};

}  // namespace finegrain::replay
