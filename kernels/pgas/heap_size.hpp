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

/// What UPCXX_SHARED_HEAP_SIZE asks for, if the node has it: memory that is only found missing when it is
/// touched ends in a bus error. Where it asks for nothing, 128 MB or what there is.
/// @param ranks_of_node  that share its memory
HeapSize heap_size(int ranks_of_node);

}  // namespace upcxx::detail
