// SPDX-License-Identifier: MIT
#include "sim/cli/kernel_program.hpp"

#include <fmt/format.h>

namespace finegrain {
namespace {

constexpr std::int64_t double_bytes = sizeof(double);
constexpr std::int64_t index_bytes = sizeof(std::int32_t);

/// For what the runtime itself keeps there, lists, and the allocator's losses.
std::int64_t with_spare(std::int64_t bytes) {
  return bytes + bytes / 16 + (std::int64_t{32} << 20);
}

std::vector<std::string> completion_argument(const Program& program) {
  if (program.completion == Completion::overlapped) return {};
  return {"--completion", std::string(to_string(program.completion))};
}

}  // namespace

KernelProgram spmv_kernel(const Program& program) {
  const bool overlapped = program.completion == Completion::overlapped;
  if (program.transfer == Transfer::two_sided)
    return {overlapped ? "spmv_overlapped_mpi" : "spmv_condensed_mpi", {}, false};
  switch (program.policy) {
    case Policy::naive:
    case Policy::individual:
      return {fmt::format("spmv_{}_upcxx", to_string(program.policy)), {}, true};
    case Policy::block:
      return {fmt::format("spmv_block_{}_upcxx", to_string(program.transfer)), {}, true};
    case Policy::condensed:
      break;
  }
  return {overlapped ? "spmv_overlapped_upcxx" : "spmv_condensed_upcxx", completion_argument(program), true};
}

KernelProgram heat_kernel(const Program& program) {
  const std::string name = program.completion == Completion::overlapped ? "heat_overlapped" : "heat";
  if (program.transfer == Transfer::two_sided) return {name + "_mpi", {}, false};
  return {name + "_upcxx", completion_argument(program), true};
}

std::int64_t spmv_shared_bytes(const Program& program, std::int64_t rows, int r_nz, std::int64_t own_rows) {
  const std::int64_t x_and_y = 2 * own_rows * double_bytes;
  switch (program.policy) {
    case Policy::naive:
      return with_spare(x_and_y + own_rows * (double_bytes + r_nz * (double_bytes + index_bytes)));
    case Policy::individual:
      return with_spare(x_and_y);
    case Policy::block:
      // Put: each rank's copy of x, and the list of the blocks that it needs.
      return with_spare(program.transfer == Transfer::get ? x_and_y : 2 * rows * double_bytes);
    case Policy::condensed:
      break;
  }
  // At most every other rank's element, and its index.
  return with_spare((rows - own_rows) * (double_bytes + index_bytes));
}

std::int64_t heat_shared_bytes(std::int64_t points) {
  return with_spare(2 * points * double_bytes);
}

}  // namespace finegrain
