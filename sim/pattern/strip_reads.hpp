// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/problem/ellpack.hpp"
#include "sim/pattern/strips.hpp"

namespace finegrain::pattern {

/// How often the rows of one strip read one element of another strip.
struct ElementReads {
  std::uint32_t element;
  std::uint32_t strip;  ///< the rows' strip
  /// At most 2^15 times as many as one row has of the element, since a strip has at most 2^15 rows.
  std::uint32_t times;
};

/// A row that reads an element of another strip, and the least and the largest element that it reads.
struct LeavingRow {
  std::int32_t row;
  std::int32_t lowest;
  std::int32_t highest;
};

/// The part of a matrix's column indices J that is needed for any BLOCKSIZE whose blocks consist of whole
/// strips. It is J transposed, without the entries that stay in their strip, and with equal entries merged
/// and counted. At n = 6.8 M and strips of 64 that is one ElementReads for every six entries; from strips to
/// coarser strips it shrinks further, without J. Memory: 12 bytes for each ElementReads. With strips of one
/// row, nearly every entry of J is kept.
class StripReads {
 public:
  /// One pass over J. @pre strips.elements() == matrix.rows
  StripReads(const problem::EllpackView& matrix, Strips strips, int threads);

  /// Changes to coarser strips. @pre each of them is a union of present ones
  void coarsen(Strips strips, int threads);

  const Strips& strips() const { return strips_; }
  /// The reads of the elements in strips [first, last), ascending by element, and for each element by strip.
  /// There may be several ElementReads of the same element and strip.
  /// @pre the strips lie in `panel`
  std::span<const ElementReads> reads(std::size_t panel, std::size_t first, std::size_t last) const;
  /// The leaving rows of strips [first, last), ascending. @pre the strips lie in `panel`
  std::span<const LeavingRow> leaving_rows(std::size_t panel, std::size_t first, std::size_t last) const;

 private:
  /// What is kept of one panel.
  struct Panel {
    std::vector<ElementReads> reads;
    std::vector<std::size_t> reads_begin;  ///< each strip's first, and the end; shape [strips + 1]
    std::vector<LeavingRow> leaving_rows;
    std::vector<std::size_t> leaving_rows_begin;  ///< each strip's first, and the end; shape [strips + 1]
  };

  Strips strips_;
  std::vector<Panel> panels_;
};

}  // namespace finegrain::pattern
