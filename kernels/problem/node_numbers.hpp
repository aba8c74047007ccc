// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace finegrain::problem {

/// Finds the node that has a number. A file may number its nodes as it likes.
class NodeNumbers {
 public:
  NodeNumbers() = default;
  /// @param numbers  all nodes' numbers, in the order of the file
  explicit NodeNumbers(const std::vector<std::int64_t>& numbers);

  /// Index of the node with this number.
  std::optional<std::int32_t> index_of(std::int64_t number) const;
  /// A number that two nodes have, if there is one.
  std::optional<std::int64_t> repeated() const { return repeated_; }

 private:
  std::optional<std::int64_t> repeated_;
  std::int64_t smallest_ = 0;
  std::vector<std::int32_t> dense_;                            ///< index by number - smallest_, or -1
  std::vector<std::pair<std::int64_t, std::int32_t>> sparse_;  ///< else: number and index, ascending
};

}  // namespace finegrain::problem
