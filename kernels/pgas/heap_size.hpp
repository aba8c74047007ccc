// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

namespace upcxx::detail {

/// A rank's shared heap, or why there can be none.
struct HeapSize {
  std::size_t size_bytes = 0;
  std::string problem;  ///< empty if there is none
};

/// The size that UPCXX_SHARED_HEAP_SIZE asks for, if the node has that much memory: without this check,
/// missing memory would end the program with a bus error when it is first touched. If the variable is not
/// set, 128 MB, or less if the node has less.
/// @param ranks_of_node  that share its memory
HeapSize heap_size(int ranks_of_node);

}  // namespace upcxx::detail
