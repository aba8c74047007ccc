// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/heat/field.hpp"

namespace finegrain::kernels {

/// The other rank across one side. The values exchanged up and down are a row, which is contiguous; those
/// exchanged left and right are a column, which is packed.
struct Neighbour {
  problem::Side side;
  int peer;

  bool is_column() const { return side == problem::Side::left || side == problem::Side::right; }
};

/// The neighbours across those sides of the part that lie inside the grid, in the order left, right, up,
/// down, found as the listings find them.
std::vector<Neighbour> find_neighbours(const problem::HeatGrid& grid, int rank);

/// Copy this part's column at the neighbour's side into a message, and a message into the halo column there.
/// Messages have the shape [part.rows].
void pack_column(const problem::HeatPart& part, problem::Side side, const Field& phi, double* message);
void unpack_column(const problem::HeatPart& part, problem::Side side, const double* message,
                   const Field& phi);
/// Bytes that packing all columns moves; unpacking moves as many. Source: eq. (19), Lagravière et al. 2019.
std::int64_t pack_bytes(const problem::HeatPart& part, const std::vector<Neighbour>& neighbours);
/// Unpacking stores each value to a cache line of its own.
Work unpack_work(const problem::HeatPart& part, const std::vector<Neighbour>& neighbours);

/// The row of phi that a message from above or below fills, and the row that is sent there.
std::int64_t halo_row(const problem::HeatPart& part, problem::Side side);
std::int64_t edge_row(const problem::HeatPart& part, problem::Side side);

/// The points of a part, sorted by what their update reads.
struct SplitPoints {
  PointRange interior;               ///< none of the neighbours' points
  std::vector<PointRange> boundary;  ///< at least one of these; the points around the interior

  std::int64_t boundary_points() const;
};

SplitPoints split_points(const problem::HeatPart& part, const std::vector<Neighbour>& neighbours);

}  // namespace finegrain::kernels
