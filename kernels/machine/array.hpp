// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <type_traits>

namespace finegrain::machine {

/// Memory that is not written yet: its pages are placed by the thread that first writes them. Where the
/// system grants it, pages are huge (Linux: madvise), since a gather over 4 KiB pages waits for the TLB.
/// @throws std::bad_alloc if there is not that much memory
void* allocate_pages(std::size_t size_bytes);

struct FreePages {
  void operator()(void* pages) const { std::free(pages); }
};

/// An array whose elements have no value until they are written.
template <class T>
using Array = std::unique_ptr<T[], FreePages>;

/// @param length  number of elements, 0 or more
template <class T>
Array<T> allocate(std::int64_t length) {
  static_assert(std::is_trivial_v<T>);
  return Array<T>(static_cast<T*>(allocate_pages(static_cast<std::size_t>(length) * sizeof(T))));
}

}  // namespace finegrain::machine
