// SPDX-License-Identifier: MIT
#include "kernels/machine/array.hpp"

#include <sys/mman.h>

#include <new>

namespace finegrain::machine {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
constexpr std::size_t cache_line_bytes = 64;

}  // namespace

void* allocate_pages(std::size_t size_bytes) {
  const bool is_huge = size_bytes >= huge_page_bytes;
  void* pages = nullptr;
  if (::posix_memalign(&pages, is_huge ? huge_page_bytes : cache_line_bytes, size_bytes) != 0)
    throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  // A refusal changes nothing but the speed.
  if (is_huge) ::madvise(pages, size_bytes, MADV_HUGEPAGE);
#endif
  return pages;
}

}  // namespace finegrain::machine
