// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/run/recorded_phases.hpp"

namespace finegrain::kernels {

/// The one place where a kernel sends messages and records that it does. So what a trace says was posted is
/// what MPI was called with. Without a recorder it only sends.
class RecordedMessages : public RecordedPhases {
 public:
  explicit RecordedMessages(MPI_Comm comm) : comm_(comm) {}

  /// Posts a message to or from a peer; the values stay untouched until wait() has returned.
  void receive(std::span<double> values, int peer);
  void send(std::span<const double> values, int peer);
  /// Each rank sends each other rank a number: out[i] goes to rank i, and in[i] receives rank i's number for
  /// this one.
  void exchange_numbers(std::span<const int> out, std::span<int> in);
  /// Each rank sends each other rank a list of numbers; `out` and `in` hold the lists one behind the other.
  /// @param counts_out, counts_in  their lengths, shape [ranks]
  void exchange_lists(std::span<const std::int32_t> out, std::span<const int> counts_out,
                      std::span<std::int32_t> in, std::span<const int> counts_in);
  /// Returns when all messages posted before are complete.
  void wait();

 private:
  void note(TransferKind kind, int peer, int values);

  MPI_Comm comm_;
  std::vector<MPI_Request> requests_;
  std::vector<int> numbers_;    ///< the transfers' numbers in the iteration, shape [requests_]
  std::vector<int> completed_;  ///< scratch: indices into requests_
};

}  // namespace finegrain::kernels
