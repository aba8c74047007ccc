// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace finegrain::pattern {

// Bytes that a phase moves over its node's memory. Equations: Lagravière et al. 2019. The arguments count
// values, not bytes. Blocks have their true lengths, while eqs. (7) and (14) count the partial last one as
// full.

inline constexpr std::int64_t double_bytes = sizeof(double);
inline constexpr std::int64_t int_bytes = sizeof(std::int32_t);
inline constexpr std::int64_t index_bytes = sizeof(std::int32_t);
/// The bytes that reading a value from a scattered place costs, or writing it there.
inline constexpr std::int64_t cache_line_bytes = 64;

/// Eq. (12): each value is read by its index and written into the message.
constexpr std::int64_t pack_bytes(std::int64_t values_out) {
  return values_out * (2 * double_bytes + index_bytes);
}
/// Eq. (14): a rank's own elements of x are read and written.
constexpr std::int64_t copy_bytes(std::int64_t rows) {
  return 2 * rows * double_bytes;
}
/// Eq. (15): each value and its index are read, and the value is written to a scattered place.
constexpr std::int64_t unpack_bytes(std::int64_t values_in) {
  return values_in * (double_bytes + index_bytes + cache_line_bytes);
}
/// Eqs. (6) and (7): a row's entries of A and J, its elements of D and x, and y.
constexpr std::int64_t spmv_compute_bytes(std::int64_t rows, int r_nz) {
  return rows * (r_nz * (double_bytes + index_bytes) + 3 * double_bytes);
}
/// Eq. (19), for packing as for unpacking: columns are scattered in memory, rows are not packed.
constexpr std::int64_t halo_pack_bytes(std::int64_t horizontal_values) {
  return horizontal_values * (double_bytes + cache_line_bytes);
}
/// Eq. (22).
constexpr std::int64_t heat_compute_bytes(std::int64_t points) {
  return 3 * points * double_bytes;
}
/// The end of Listing 8, which eq. (22) leaves out: each new temperature is read and written over the old
/// one.
constexpr std::int64_t heat_copy_bytes(std::int64_t points) {
  return 2 * points * double_bytes;
}

}  // namespace finegrain::pattern
