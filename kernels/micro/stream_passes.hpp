// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace finegrain {

/// to = from, on the calling thread, with ordinary stores: a cache reads each line before it is written.
void copy_pass(const double* from, double* to, std::int64_t elements);

/// The sum of the values, on the calling thread, in no particular order of additions.
double sum_pass(const double* values, std::int64_t elements);

}  // namespace finegrain
