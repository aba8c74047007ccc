// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/pattern/strip_reads.hpp"

namespace finegrain::pattern {

/// Takes what rows read, strip after strip, and deals it out by the panel of the element. Neighbouring rows
/// read the same elements many times. So equal reads that are close together are first merged into one, by
/// a table that stays in a core's cache. A repeat that the table misses is dealt out twice; that is harmless.
class ReadDealer {
 public:
  /// @param usual  how many reads a panel has room for before it grows, once it has any
  ReadDealer(std::size_t panels, std::size_t usual) : dealt_(panels), usual_(usual) {}

  /// @param elements  those outside the strip that its rows read
  void add(std::uint32_t strip, std::span<const std::uint32_t> elements);

  /// All reads by panel, those of one panel in the order of the calls of add(). The dealer is empty
  /// afterwards.
  std::vector<std::vector<ElementReads>> take();

 private:
  void add_few(std::uint32_t strip, std::span<const std::uint32_t> elements);
  void deal();

  std::vector<std::vector<ElementReads>> dealt_;
  std::size_t usual_;
  std::array<std::uint32_t, 4096> slots_{};  ///< places in recent_ where an element may have been met
  std::array<ElementReads, 4096> recent_{};  ///< [0] stands for none: strip 0 does not read its own element 0
  std::uint32_t count_ = 1;
};

}  // namespace finegrain::pattern
