// SPDX-License-Identifier: MIT
#include "kernels/recorder/caller.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>

#include "functions.hpp"

namespace finegrain::recorder {
namespace {

/// Open MPI's plugins and the libraries that these have in common. Its Fortran libraries are not among them:
/// they make the program's calls. MPICH's functions are all in one library.
bool is_plugin(std::string_view name) {
  constexpr std::array prefixes = {"mca_", "libmca_", "libopen-pal.", "libopen-rte."};
  return std::ranges::any_of(prefixes, [&](const char* prefix) { return name.starts_with(prefix); });
}

}  // namespace

LoadedFile file_of(const void* code) {
#if __GLIBC_PREREQ(2, 35)  // without the loader's lock, which another thread may have that calls MPI
  dl_find_object found;
  if (::_dl_find_object(const_cast<void*>(code), &found) != 0) return {};
  return {found.dlfo_map_start, found.dlfo_link_map->l_name, found.dlfo_link_map->l_addr};
#else
  Dl_info found;
  link_map* map = nullptr;
  if (::dladdr1(code, &found, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return {};
  return {found.dli_fbase, map->l_name, map->l_addr};
#endif
}

bool is_librarys_own(const void* return_address, bool library_uses_name) {
  const LoadedFile file = file_of(return_address);
  if (file.start == nullptr) return false;
  if (file.start == file_of(reinterpret_cast<const void*>(is_librarys_own)).start) return true;
  const std::string_view path = file.path;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("mca_io_romio")) return true;  // it uses names of both kinds
  return library_uses_name &&
         (is_plugin(name) || file.start == file_of(reinterpret_cast<const void*>(real.MPI_Send)).start);
}

bool is_of_fortran_library(const void* return_address) {
  static std::atomic<const void*> last_found = nullptr;
  const LoadedFile file = file_of(return_address);
  if (file.start == nullptr) return false;
  if (file.start == last_found.load(std::memory_order_relaxed)) return true;
  const std::string_view path = file.path;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  constexpr std::array prefixes = {"libmpi_mpifh", "libmpi_usempi", "libmpichfort", "libmpifort"};
  if (!std::ranges::any_of(prefixes, [&](const char* prefix) { return name.starts_with(prefix); }))
    return false;
  last_found.store(file.start, std::memory_order_relaxed);
  return true;
}

}  // namespace finegrain::recorder
