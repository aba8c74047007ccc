// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/problem/heat_grid.hpp"
#include "kernels/run/round_off_check.hpp"
#include "kernels/run/session.hpp"
#include "traces/operation.hpp"

namespace finegrain::kernels {

/// The (rows + 2) x (columns + 2) points of a part and its halo, or boundary, in memory that it does not own.
/// Inner points are 1 ... rows, 1 ... columns.
class Field {
 public:
  Field(const problem::HeatPart& part, double* points) : stride_(stride(part)), points_(points) {}

  static std::int64_t stride(const problem::HeatPart& part) { return part.columns + 2; }
  static std::int64_t size(const problem::HeatPart& part) { return (part.rows + 2) * stride(part); }

  double& at(std::int64_t i, std::int64_t k) const { return points_[i * stride_ + k]; }
  double* row(std::int64_t i) const { return points_ + i * stride_; }
  /// The inner points of one row.
  std::span<double> inner(std::int64_t i) const {
    return {row(i) + 1, static_cast<std::size_t>(stride_ - 2)};
  }

 private:
  std::int64_t stride_;
  double* points_;
};

/// Sets the start temperatures, boundary included; the threads that will update a row write it first.
void set_start_values(const problem::HeatPart& part, const Field& phi);

/// Inner points: rows first_row ... last_row and columns first_column ... last_column, ends included.
struct PointRange {
  std::int64_t first_row;
  std::int64_t last_row;
  std::int64_t first_column;
  std::int64_t last_column;

  std::int64_t points() const;
};

PointRange whole(const problem::HeatPart& part);

/// One step of the computation in time, with all threads. Source: Listing 8, with a departure: the explicit
/// step in full, phi + dt * Laplacian, where the listing leaves phi out.
void step(const PointRange& region, const Field& phi, const Field& phi_new);
/// Bytes that a step of this many points moves. Source: eq. (22).
std::int64_t step_bytes(std::int64_t points);

/// phi = phi_new in all inner points: what Listing 8 does after each step.
void copy_points(const problem::HeatPart& part, const Field& phi_new, const Field& phi);
/// What copy_points() moves over memory: each point is read and written.
Work copy_work(const problem::HeatPart& part);

/// Collective. Compares each rank's part with rank 0's solution of the whole grid after the same number of
/// steps.
CheckResult check_against_sequential(const Session& session, const problem::HeatGrid& grid,
                                     std::int64_t iterations, const Field& phi);

}  // namespace finegrain::kernels
