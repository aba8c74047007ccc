// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/operation.hpp"

namespace finegrain {

/// Appends operations to a rank's file (docs/trace-format.md, "Operations").
class OperationWriter {
 public:
  /// @pre `out` outlives the writer
  explicit OperationWriter(std::vector<std::byte>& out) : out_(&out) {}

  /// @param sizes  those of the body that it belongs to
  void write(const Operation& operation, std::span<const std::int64_t> sizes);

  void write(const Work& work);
  void write(const Post& post);
  void write(const Complete& complete);
  /// @param sizes  its own
  void write(const Collective& collective, std::span<const std::int64_t> sizes);
  void write(const Lock& lock);

 private:
  std::vector<std::byte>* out_;
  std::int64_t previous_peer_ = 0;
};

}  // namespace finegrain
