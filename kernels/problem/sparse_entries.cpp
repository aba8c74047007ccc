// SPDX-License-Identifier: MIT
#include "kernels/problem/sparse_entries.hpp"

#include <algorithm>

namespace finegrain::problem {
namespace {

/// Counting sort, which keeps the order of equal entries.
std::vector<SparseEntry> sorted_by(std::int32_t SparseEntry::*key, const std::vector<SparseEntry>& entries,
                                   std::int64_t keys) {
  std::vector<std::int64_t> next(static_cast<std::size_t>(keys) + 1);
  for (const SparseEntry& entry : entries)
    ++next[static_cast<std::size_t>(entry.*key) + 1];
  for (std::size_t k = 1; k < next.size(); ++k)
    next[k] += next[k - 1];
  std::vector<SparseEntry> sorted(entries.size());
  for (const SparseEntry& entry : entries)
    sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(entry.*key)]++)] = entry;
  return sorted;
}

}  // namespace

std::vector<SparseEntry> sorted_and_summed(std::vector<SparseEntry> entries, std::int64_t rows) {
  entries = sorted_by(&SparseEntry::column, entries, rows);
  entries = sorted_by(&SparseEntry::row, entries, rows);
  std::size_t kept = 0;
  for (const SparseEntry& entry : entries) {
    if (kept > 0 && entries[kept - 1].row == entry.row && entries[kept - 1].column == entry.column) {
      entries[kept - 1].value += entry.value;
    } else {
      entries[kept++] = entry;
    }
  }
  entries.resize(kept);
  return entries;
}

EllpackShape ellpack_shape(const std::vector<SparseEntry>& entries, std::int64_t rows) {
  EllpackShape shape{.rows = rows, .nonzeros = static_cast<std::int64_t>(entries.size())};
  int length = 0;
  int longest = 0;
  std::int32_t row = -1;
  for (const SparseEntry& entry : entries) {
    if (entry.row != row) length = 0;
    row = entry.row;
    if (entry.column != entry.row) ++length;
    if (length > longest) {
      longest = length;
      shape.longest_row = row;
    }
  }
  shape.r_nz = std::max(longest, 1);
  return shape;
}

EllpackMatrix ellpack_matrix(const std::vector<SparseEntry>& entries, const EllpackShape& shape) {
  const auto rows = static_cast<std::size_t>(shape.rows);
  const auto r_nz = static_cast<std::size_t>(shape.r_nz);
  EllpackMatrix matrix{shape.r_nz, std::vector<double>(rows), std::vector<double>(rows * r_nz),
                       std::vector<std::int32_t>(rows * r_nz)};
  auto entry = entries.begin();
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t place = row * r_nz;
    for (; entry != entries.end() && static_cast<std::size_t>(entry->row) == row; ++entry) {
      if (entry->column == entry->row) {
        matrix.diagonal[row] = entry->value;
      } else {
        matrix.columns[place] = entry->column;
        matrix.values[place++] = entry->value;
      }
    }
    for (; place < (row + 1) * r_nz; ++place)
      matrix.columns[place] = static_cast<std::int32_t>(row);
  }
  return matrix;
}

}  // namespace finegrain::problem
