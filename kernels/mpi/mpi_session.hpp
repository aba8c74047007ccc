// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <functional>

#include "kernels/run/session.hpp"

namespace finegrain::kernels {

/// A rank of MPI_COMM_WORLD. Only the thread that made it calls MPI.
class MpiSession : public Session {
 public:
  MpiSession(int& argc, char**& argv);
  ~MpiSession() override;

  MPI_Comm comm() const { return MPI_COMM_WORLD; }

  void barrier() const override;
  void maximize(std::span<double> values) const override;
  void broadcast(std::span<double> values) const override;
  std::vector<std::string> all_texts(const std::string& mine) const override;
  std::vector<ClockOffset> measure_clock_offsets() const override;
  int first_on_node() const override { return first_on_node_; }
  std::string implementation() const override { return "mpi-openmp"; }
  std::pair<std::string, std::string> library() const override;
  [[noreturn]] void abort() const override;

 private:
  int first_on_node_ = 0;
};

/// Starts MPI and runs the kernel on every rank. @returns its exit code, as run_kernel() says
int run_mpi_program(int argc, char** argv,
                    const std::function<int(const MpiSession& mpi, int argc, char** argv)>& kernel);

}  // namespace finegrain::kernels
