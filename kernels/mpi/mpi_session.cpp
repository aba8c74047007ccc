// SPDX-License-Identifier: MIT
#include "kernels/mpi/mpi_session.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <exception>

namespace finegrain {

MpiSession::MpiSession(int& argc, char**& argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) {
    fmt::print(stderr, "MPI: allows no threads beside it. Use another MPI library\n");
    MPI_Abort(comm(), 1);
  }
  MPI_Comm_rank(comm(), &rank_);
  MPI_Comm_size(comm(), &ranks_);
}

MpiSession::~MpiSession() {
  MPI_Finalize();
}

int run_mpi_program(int argc, char** argv,
                    const std::function<int(const MpiSession&, int, char**)>& program) {
  const MpiSession mpi(argc, argv);
  try {
    return program(mpi, argc, argv);
  } catch (const ProgramExit& exit) {
    return exit.code;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank {}: {}\n", mpi.rank(), error.what());
    MPI_Abort(mpi.comm(), 1);
  }
  return 1;
}

}  // namespace finegrain
