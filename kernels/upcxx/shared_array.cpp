// SPDX-License-Identifier: MIT
#include "kernels/upcxx/shared_array.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "traces/io/input_error.hpp"

namespace finegrain::kernels {

void throw_out_of_shared_memory(std::size_t size_bytes) {
  constexpr const char* variable = "UPCXX_SHARED_HEAP_SIZE";
  const char* set = std::getenv(variable);
  throw InputError(variable,
                   fmt::format("no room for {} MB more in a rank's shared memory ({})",
                               (size_bytes >> 20) + 1, set == nullptr ? "the default is 128 MB" : set),
                   fmt::format("Raise it, e.g. {}=1GB", variable));
}

}  // namespace finegrain::kernels
