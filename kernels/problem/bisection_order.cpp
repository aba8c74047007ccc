// SPDX-License-Identifier: MIT
#include "kernels/problem/bisection_order.hpp"

#include <algorithm>
#include <array>
#include <atomic>

namespace finegrain::problem {
namespace {

struct Row {
  std::array<float, 3> at;
  std::int32_t number;
};

std::size_t widest_axis(std::span<const Row> rows) {
  std::array<float, 3> low = rows.front().at;
  std::array<float, 3> high = low;
  for (const Row& row : rows) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], row.at[axis]);
      high[axis] = std::max(high[axis], row.at[axis]);
    }
  }
  std::size_t widest = 0;
  for (std::size_t axis = 1; axis < 3; ++axis) {
    if (high[axis] - low[axis] > high[widest] - low[widest]) widest = axis;
  }
  return widest;
}

/// Moves the lower half of the rows along their widest axis to the front. @returns its length
std::size_t halve(std::span<Row> rows) {
  const std::size_t axis = widest_axis(rows);
  const std::size_t half = rows.size() / 2;
  std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(half), rows.end(),
                   [axis](const Row& a, const Row& b) {
                     return a.at[axis] != b.at[axis] ? a.at[axis] < b.at[axis] : a.number < b.number;
                   });
  return half;
}

void bisect(std::span<Row> rows) {
  if (rows.size() < 2) return;
  const std::size_t half = halve(rows);
  bisect(rows.first(half));
  bisect(rows.subspan(half));
}

class Bisection {
 public:
  Bisection(std::size_t rows, std::span<const std::int32_t> columns, int r_nz, SeparatorPlace place)
      : columns_(columns), r_nz_(static_cast<std::size_t>(r_nz)), place_(place), right_of_(rows, -1) {}

  /// @param part  the part's number in the ternary tree of parts: the children of part p are 3p+1, 3p+2 and
  /// 3p+3. A part has at most half of its parent's rows (rounded up), so 2^31 rows make 17 levels, and 3^18
  /// numbers are enough.
  void order(std::span<Row> rows, std::int32_t part) {
    if (rows.size() < static_cast<std::size_t>(smallest_part_with_separator)) {
      bisect(rows);
      return;
    }
    const std::size_t half = halve(rows);
    for (const Row& row : rows.subspan(half))
      right_of(row.number).store(part, std::memory_order_relaxed);
    const auto separator = std::partition(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(half),
                                          [&](const Row& row) { return !touches_right(row, part); });
    const auto left = static_cast<std::size_t>(separator - rows.begin());
    std::array<std::size_t, 2> cuts{left, half};
    if (place_ == SeparatorPlace::behind) {
      std::rotate(separator, rows.begin() + static_cast<std::ptrdiff_t>(half), rows.end());
      cuts[1] = left + (rows.size() - half);
    }
#pragma omp task
    order(rows.first(cuts[0]), 3 * part + 1);
#pragma omp task
    order(rows.subspan(cuts[0], cuts[1] - cuts[0]), 3 * part + 2);
    order(rows.subspan(cuts[1]), 3 * part + 3);
  }

 private:
  /// Tasks write the marks of their own rows, and read those of other rows too. A mark that another task
  /// writes meanwhile is never the number of the reader's own part.
  std::atomic_ref<std::int32_t> right_of(std::int32_t row) {
    return std::atomic_ref(right_of_[static_cast<std::size_t>(row)]);
  }

  bool touches_right(const Row& row, std::int32_t part) {
    const auto entries = columns_.subspan(static_cast<std::size_t>(row.number) * r_nz_, r_nz_);
    return std::any_of(entries.begin(), entries.end(), [&](std::int32_t column) {
      return right_of(column).load(std::memory_order_relaxed) == part;
    });
  }

  std::span<const std::int32_t> columns_;
  std::size_t r_nz_;
  SeparatorPlace place_;
  std::vector<std::int32_t> right_of_;  ///< for each row, the last part in whose right half it was
};

}  // namespace

std::vector<std::int32_t> bisection_order(std::span<const Point> points,
                                          std::span<const std::int32_t> columns, int r_nz,
                                          SeparatorPlace place) {
  std::vector<Row> rows(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    rows[i] = {
        {static_cast<float>(points[i].x), static_cast<float>(points[i].y), static_cast<float>(points[i].z)},
        static_cast<std::int32_t>(i)};
  }
  Bisection bisection(rows.size(), columns, r_nz, place);
#pragma omp parallel
#pragma omp single
  bisection.order(rows, 0);

  std::vector<std::int32_t> order(rows.size());
  std::transform(rows.begin(), rows.end(), order.begin(), [](const Row& row) { return row.number; });
  return order;
}

}  // namespace finegrain::problem
