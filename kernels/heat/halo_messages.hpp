// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "kernels/heat/halo.hpp"
#include "kernels/mpi/recorded_messages.hpp"

namespace finegrain::kernels {

/// The halo exchange with MPI's two-sided messages.
class HaloMessages {
 public:
  HaloMessages(const problem::HeatPart& part, std::vector<Neighbour> neighbours);

  void receive(RecordedMessages& messages, const Field& phi);
  void pack(const Field& phi);
  void send(RecordedMessages& messages, const Field& phi);
  void unpack(const Field& phi) const;
  /// Bytes that pack() moves, and what unpack() moves.
  std::int64_t packed_bytes() const { return pack_bytes(part_, neighbours_); }
  Work unpack_work() const { return finegrain::kernels::unpack_work(part_, neighbours_); }

 private:
  problem::HeatPart part_;
  std::vector<Neighbour> neighbours_;
  /// Columns, by Side. Shape [part.rows] where there is a neighbour
  std::array<std::vector<double>, 2> outgoing_;
  std::array<std::vector<double>, 2> incoming_;
};

}  // namespace finegrain::kernels
