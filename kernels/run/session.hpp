// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "traces/manifest.hpp"

namespace finegrain::kernels {

/// Ends the kernel on every rank with one exit code. Thrown by all ranks at the same place, after any message
/// has been printed.
struct KernelExit {
  int code;
};

/// This process as one rank of an SPMD run, whatever library connects the ranks. Its construction starts that
/// library, and its destruction ends it. The functions from barrier() to measure_clock_offsets() are
/// collective.
class Session {
 public:
  Session() = default;
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  bool is_first() const { return rank_ == 0; }

  virtual void barrier() const = 0;
  /// Replaces each value by the largest of all ranks'.
  virtual void maximize(std::span<double> values) const = 0;
  /// Replaces the values by rank 0's.
  virtual void broadcast(std::span<double> values) const = 0;
  /// Every rank's text, on every rank. Shape [ranks]
  virtual std::vector<std::string> all_texts(const std::string& mine) const = 0;
  /// How far each rank's clock is from rank 0's, measured by messages. Of 50 round trips the shortest counts.
  /// Its middle is taken as the moment at which the other rank read its clock. The error is at most half of
  /// that round trip.
  /// @returns shape [ranks] on rank 0, empty elsewhere
  virtual std::vector<ClockOffset> measure_clock_offsets() const = 0;

  /// The lowest of the ranks that share this one's memory. Not collective, like the functions below.
  virtual int first_on_node() const = 0;
  /// "mpi-openmp" or "upcxx": the kind of kernel, as a manifest names it.
  virtual std::string implementation() const = 0;
  /// e.g. {"mpi", "Open MPI v4.1.4"}
  virtual std::pair<std::string, std::string> library() const = 0;
  /// Ends the whole job with exit code 1, from one rank.
  [[noreturn]] virtual void abort() const = 0;

 protected:
  int rank_ = 0;
  int ranks_ = 1;
};

/// Runs the kernel, which returns the same exit code on every rank. @returns that code, or the code of the
/// KernelExit that it threw. Any other exception came from one rank alone, and others may be waiting for
/// that rank. So the exception is printed, and the whole job is aborted.
int run_kernel(const Session& session, const std::function<int()>& kernel);

}  // namespace finegrain::kernels
