// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "kernels/heat/halo.hpp"
#include "kernels/upcxx/recorded_transfers.hpp"
#include "kernels/upcxx/shared_array.hpp"

namespace finegrain::kernels {

/// The halo exchange with UPC++'s gets: Listings 9 and 11 of Paper III.
class HaloGets {
 public:
  /// Collective. @throws KernelExit{1} on every rank, where the shared memory of any is too small
  HaloGets(const Session& session, const problem::HeatGrid& grid, std::vector<Neighbour> neighbours);

  /// Packs the columns that neighbours will get.
  void pack(const Field& phi) const;
  /// Gets the halo's values from each neighbour.
  /// @param points  all ranks' points
  /// @param phi  this rank's part of them
  void get(RecordedTransfers& transfers, const SharedArray<double>& points, const Field& phi, Going going);
  void unpack(const Field& phi);
  /// Bytes that pack() moves, and what unpack() moves.
  std::int64_t packed_bytes() const { return pack_bytes(part_, neighbours_); }
  Work unpack_work() const { return finegrain::kernels::unpack_work(part_, neighbours_); }

 private:
  static problem::Side opposite(problem::Side side) {
    return side == problem::Side::left ? problem::Side::right : problem::Side::left;
  }
  const SharedArray<double>& packed_at(problem::Side side) const {
    return packed_[side == problem::Side::left ? 0 : 1];
  }
  std::span<double> incoming_at(problem::Side side) { return incoming_[side == problem::Side::left ? 0 : 1]; }
  /// Where in a neighbour's points its row next to this part begins.
  std::int64_t edge_of(const Neighbour& neighbour) const;

  const problem::HeatGrid& grid_;
  problem::HeatPart part_;
  std::vector<Neighbour> neighbours_;
  std::array<SharedArray<double>, 2> packed_;    ///< first and last column of each part, shape [part.rows]
  std::array<std::vector<double>, 2> incoming_;  ///< from left and right, shape [part.rows]
};

}  // namespace finegrain::kernels
