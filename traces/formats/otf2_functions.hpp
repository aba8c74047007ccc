// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace finegrain::formats {

// What an archive's events do not say, and the name of the function of MPI does.

constexpr bool is_synchronous(std::string_view function) {
  return function == "MPI_Ssend" || function == "MPI_Issend";
}

constexpr bool is_buffered(std::string_view function) {
  return function == "MPI_Bsend" || function == "MPI_Ibsend";
}

/// Whether its time is spent on files or on programs outside the run, so that it passes on any platform.
constexpr bool only_passes_time(std::string_view function) {
  return function.starts_with("MPI_File_") || function == "MPI_Comm_spawn" ||
         function == "MPI_Comm_spawn_multiple" || function == "MPI_Comm_connect" ||
         function == "MPI_Comm_accept" || function == "MPI_Comm_join";
}

}  // namespace finegrain::formats
