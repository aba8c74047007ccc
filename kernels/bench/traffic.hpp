// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace finegrain::kernels {

/// Bytes that a pass must move over the memory at least, by what moves them. A write counts twice its bytes,
/// since a cache reads the line that it writes (write-allocate): no kernel here uses stores that avoid it.
struct Traffic {
  double only_read_bytes = 0;
  double copied_bytes = 0;  ///< written, allocated for that, and read beside it
};

/// One iteration of condensed SpMV on one rank:
///   only read    A, J and D: 12 r_nz + 8 bytes a row; the lists of what to pack and unpack, 4 a value
///   copied, 24 bytes an element: own x into x_copy, x_copy into y; values packed, values unpacked
/// Each element of x_copy counts as read once a product. The messages themselves count nothing.
Traffic condensed_traffic(std::int64_t rows, int r_nz, std::int64_t packed, std::int64_t unpacked);

/// The product alone.
Traffic multiply_traffic(std::int64_t rows, int r_nz);

/// One step of heat on one rank: a point read and one written, 24 bytes; and the columns packed and unpacked.
Traffic heat_traffic(std::int64_t points, std::int64_t packed_bytes);

/// The shortest time that the memory allows.
double bound_s(const Traffic& traffic, double read_bytes_per_s, double copy_bytes_per_s);

}  // namespace finegrain::kernels
