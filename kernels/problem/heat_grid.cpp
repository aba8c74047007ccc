// SPDX-License-Identifier: MIT
#include "kernels/problem/heat_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kernels/problem/placement.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

/// Up to this number of points, every sum of their bytes fits 64 bits, and a double holds their number
/// exactly.
constexpr std::int64_t most_points = std::int64_t{1} << 53;

struct Range {
  std::int64_t first;
  std::int64_t length;
};

/// Part `index` of `total` points cut into `parts`. If `parts` does not divide `total`, the first parts are
/// larger by one.
Range cut(std::int64_t total, int parts, int index) {
  const std::int64_t base = total / parts;
  const std::int64_t larger = total % parts;
  return {index * base + std::min<std::int64_t>(index, larger), base + (index < larger ? 1 : 0)};
}

}  // namespace

HeatGrid::HeatGrid(std::int64_t rows, std::int64_t columns, int mprocs, int nprocs)
    : rows_(rows), columns_(columns), mprocs_(mprocs), nprocs_(nprocs) {
  if (rows < 1 || columns < 1) {
    throw InputError("heat grid", fmt::format("{} x {} points", rows, columns), "Give at least 1 x 1");
  }
  if (rows > most_points / columns) {
    throw InputError("heat grid", fmt::format("{} x {} points (at most 2^53 can be counted)", rows, columns),
                     "Give fewer");
  }
  if (mprocs < 1 || nprocs < 1) {
    throw InputError("heat grid", fmt::format("{} x {} ranks", mprocs, nprocs), "Give at least 1 x 1");
  }
  if (std::int64_t{mprocs} * nprocs > most_ranks) {
    throw InputError("heat grid", fmt::format("{} x {} ranks are too many", mprocs, nprocs),
                     "Use fewer ranks");
  }
  if (mprocs > rows || nprocs > columns) {
    throw InputError(
        "heat grid",
        fmt::format("{} x {} ranks for {} x {} points (a rank needs a point)", mprocs, nprocs, rows, columns),
        "Use fewer ranks");
  }
}

HeatPart HeatGrid::part(int rank) const {
  const Range down = cut(rows_, mprocs_, rank / nprocs_);
  const Range across = cut(columns_, nprocs_, rank % nprocs_);
  return {down.first, down.length, across.first, across.length};
}

std::optional<int> HeatGrid::neighbour(int rank, Side side) const {
  const int i = rank / nprocs_;
  const int k = rank % nprocs_;
  switch (side) {
    case Side::left:
      return k > 0 ? std::optional(rank - 1) : std::nullopt;
    case Side::right:
      return k < nprocs_ - 1 ? std::optional(rank + 1) : std::nullopt;
    case Side::up:
      return i > 0 ? std::optional(rank - nprocs_) : std::nullopt;
    case Side::down:
      return i < mprocs_ - 1 ? std::optional(rank + nprocs_) : std::nullopt;
  }
  return std::nullopt;
}

GridSize parse_grid(std::string_view text, std::string_view where) {
  GridSize grid;
  const char* end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, grid.rows);
  if (rows.ec == std::errc() && rows.ptr != end && *rows.ptr == 'x') {
    const auto columns = std::from_chars(rows.ptr + 1, end, grid.columns);
    if (columns.ec == std::errc() && columns.ptr == end) return grid;
  }
  throw InputError(where, fmt::format("'{}' is no grid", text), "Give rows x columns, e.g. 20000x20000");
}

}  // namespace finegrain::problem
