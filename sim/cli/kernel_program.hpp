// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/schedule/programs.hpp"

namespace finegrain {

/// The binary that runs a program of the study, and the arguments that choose it among those in the binary.
struct KernelProgram {
  std::string binary;
  std::vector<std::string> arguments;
  bool is_upcxx = false;
};

/// @pre the program is one of spmv_programs(), or heat_programs()
KernelProgram spmv_kernel(const Program& program);
KernelProgram heat_kernel(const Program& program);

/// Bytes of shared memory that one rank of a UPC++ program needs at most, with some to spare.
/// @param own_rows  most rows of any rank
std::int64_t spmv_shared_bytes(const Program& program, std::int64_t rows, int r_nz, std::int64_t own_rows);
/// @param points  most points of any rank, halo included
std::int64_t heat_shared_bytes(std::int64_t points);

}  // namespace finegrain
