// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <functional>

namespace finegrain {

/// MPI, from MPI_Init_thread to MPI_Finalize. Only the thread that made it calls MPI.
class MpiSession {
 public:
  MpiSession(int& argc, char**& argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  MPI_Comm comm() const { return MPI_COMM_WORLD; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  bool is_first() const { return rank_ == 0; }

 private:
  int rank_ = 0;
  int ranks_ = 1;
};

/// Ends the program on every rank with one exit code. Thrown by all ranks at the same place, after what there
/// was to say has been printed.
struct ProgramExit {
  int code;
};

/// Starts MPI, runs the program on every rank, and returns its exit code: the program's own (it returns the
/// same one on every rank), or that of the ProgramExit it threw. Any other exception came from one rank
/// alone, whose peers may be waiting for it: it is printed and the whole job aborted with exit code 1.
int run_mpi_program(int argc, char** argv,
                    const std::function<int(const MpiSession& mpi, int argc, char** argv)>& program);

}  // namespace finegrain
