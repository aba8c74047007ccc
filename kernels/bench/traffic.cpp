// SPDX-License-Identifier: MIT
#include "kernels/bench/traffic.hpp"

namespace finegrain::kernels {
namespace {

constexpr std::int64_t double_bytes = sizeof(double);
constexpr std::int64_t index_bytes = sizeof(std::int32_t);
/// Read, allocated, written.
constexpr std::int64_t copy_bytes = 3 * double_bytes;

}  // namespace

Traffic multiply_traffic(std::int64_t rows, int r_nz) {
  return {static_cast<double>(rows * (r_nz * (double_bytes + index_bytes) + double_bytes)),
          static_cast<double>(rows * copy_bytes)};
}

Traffic condensed_traffic(std::int64_t rows, int r_nz, std::int64_t packed, std::int64_t unpacked) {
  Traffic traffic = multiply_traffic(rows, r_nz);
  traffic.only_read_bytes += static_cast<double>((packed + unpacked) * index_bytes);
  traffic.copied_bytes += static_cast<double>((rows + packed + unpacked) * copy_bytes);
  return traffic;
}

Traffic heat_traffic(std::int64_t points, std::int64_t packed_bytes) {
  return {0, static_cast<double>(points * copy_bytes + 2 * packed_bytes)};
}

double bound_s(const Traffic& traffic, double read_bytes_per_s, double copy_bytes_per_s) {
  return traffic.only_read_bytes / read_bytes_per_s + traffic.copied_bytes / copy_bytes_per_s;
}

}  // namespace finegrain::kernels
