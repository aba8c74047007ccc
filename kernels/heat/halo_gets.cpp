// SPDX-License-Identifier: MIT
#include "kernels/heat/halo_gets.hpp"

namespace finegrain::kernels {

HaloGets::HaloGets(const Session& session, const problem::HeatGrid& grid, std::vector<Neighbour> neighbours)
    : grid_(grid),
      part_(grid.part(session.rank())),
      neighbours_(std::move(neighbours)),
      packed_{SharedArray<double>(session, part_.rows), SharedArray<double>(session, part_.rows)} {
  for (std::vector<double>& column : incoming_)
    column.resize(static_cast<std::size_t>(part_.rows));
}

void HaloGets::pack(const Field& phi) const {
  for (const Neighbour& to : neighbours_)
    if (to.is_column()) pack_column(part_, to.side, phi, packed_at(to.side).local());
}

void HaloGets::get(RecordedTransfers& transfers, const SharedArray<double>& points, const Field& phi,
                   Going going) {
  for (const Neighbour& from : neighbours_) {
    if (from.is_column()) {
      transfers.get(packed_at(opposite(from.side)).of(from.peer), incoming_at(from.side), going);
    } else {
      transfers.get(points.of(from.peer) + edge_of(from), phi.inner(halo_row(part_, from.side)), going);
    }
  }
}

void HaloGets::unpack(const Field& phi) {
  for (const Neighbour& from : neighbours_)
    if (from.is_column()) unpack_column(part_, from.side, incoming_at(from.side).data(), phi);
}

std::int64_t HaloGets::edge_of(const Neighbour& neighbour) const {
  const problem::HeatPart other = grid_.part(neighbour.peer);
  const std::int64_t row = neighbour.side == problem::Side::up ? other.rows : 1;
  return row * Field::stride(other) + 1;
}

}  // namespace finegrain::kernels
