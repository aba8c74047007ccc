// SPDX-License-Identifier: MIT
#include "kernels/recorder/other_mpi.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/recorder/mpi.hpp"

namespace finegrain::recorder {

bool is_for_this_mpi() {
#ifdef OPEN_MPI
  const bool is = find_object("ompi_mpi_comm_world") != nullptr;
  const char* const other = "libfinegrain_recorder_mpich.so";
#else
  const bool is = find_object("ompi_mpi_comm_world") == nullptr;
  const char* const other = "the libfinegrain_recorder.so of Open MPI";
#endif
  // From the launchers' environment variables, because the other MPI's functions cannot be called.
  const char* rank = std::getenv("PMI_RANK");
  if (rank == nullptr) rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (!is && (rank == nullptr || std::string_view(rank) == "0")) {
    fmt::print(stderr,
               "finegrain: this recorder is for another MPI than the program's, so nothing is recorded. "
               "Preload {}\n",
               other);
  }
  return is;
}

#ifndef OPEN_MPI
namespace {

/// Open MPI's handles are pointers, which do not fit through functions that take MPICH's. So a program of
/// Open MPI is started anew without this library, before anything of it has run.
__attribute__((constructor)) void leave_other_mpi(int /*count*/, char** arguments, char** /*environment*/) {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  if (preloaded == nullptr || find_object("ompi_mpi_comm_world") == nullptr) return;
  std::string others(preloaded);
  for (char& c : others) {
    if (c == ':') c = ' ';
  }
  std::istringstream in(std::exchange(others, ""));
  bool is_preloaded = false;
  for (std::string library; in >> library;) {
    if (library.find("finegrain_recorder_mpich") != std::string::npos) {
      is_preloaded = true;
    } else {
      others += (others.empty() ? "" : ":") + library;
    }
  }
  if (!is_preloaded) return;
  is_for_this_mpi();
  ::setenv("LD_PRELOAD", others.c_str(), 1);
  ::execv("/proc/self/exe", arguments);
}

}  // namespace
#endif

}  // namespace finegrain::recorder
