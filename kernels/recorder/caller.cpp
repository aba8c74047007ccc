// SPDX-License-Identifier: MIT
#include "kernels/recorder/caller.hpp"

#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "functions.hpp"

namespace finegrain::recorder {
namespace {

enum class Owner : std::uint8_t { program, library, plugin_or_recorder };

/// A part of a loaded file.
struct Segment {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  Owner owner = Owner::program;

  bool holds(std::uintptr_t address) const { return begin <= address && address < end; }
};

/// Open MPI's plugins, and the libraries that these have in common. Its Fortran libraries are not among them:
/// they make the program's calls. MPICH's functions are all in one library.
bool is_plugin(std::string_view path) {
  constexpr std::array prefixes = {"mca_", "libmca_", "libopen-pal.", "libopen-rte."};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(prefixes, [&](const char* prefix) { return name.starts_with(prefix); });
}

/// The segment of a loaded file that holds an address; its end is 0 if there is none.
Segment segment_of(const dl_phdr_info& file, std::uintptr_t address) {
  for (int i = 0; i < file.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = file.dlpi_phdr[i];
    const std::uintptr_t begin = file.dlpi_addr + header.p_vaddr;
    const Segment segment = {begin, begin + header.p_memsz};
    if (header.p_type == PT_LOAD && segment.holds(address)) return segment;
  }
  return {};
}

struct Search {
  std::uintptr_t address;
  Segment found;
};

int look_into(dl_phdr_info* file, std::size_t /*size*/, void* argument) {
  Search& search = *static_cast<Search*>(argument);
  Segment found = segment_of(*file, search.address);
  if (found.end == 0) return 0;
  const auto holds = [&](auto* function) {
    return segment_of(*file, reinterpret_cast<std::uintptr_t>(function)).end != 0;
  };
  if (holds(real.MPI_Send)) {
    found.owner = Owner::library;
  } else if (is_plugin(file->dlpi_name) || holds(look_into)) {
    found.owner = Owner::plugin_or_recorder;
  }
  search.found = found;
  return 1;
}

Owner owner_of(const void* code) {
  thread_local Segment last __attribute__((tls_model("initial-exec"))) = {};
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  if (!last.holds(address)) {
    Search search = {address, {}};
    ::dl_iterate_phdr(look_into, &search);
    last = search.found;
  }
  return last.owner;
}

}  // namespace

bool is_librarys_own(const void* return_address, bool library_uses_name) {
  const Owner owner = owner_of(return_address);
  return owner == Owner::plugin_or_recorder || (owner == Owner::library && library_uses_name);
}

}  // namespace finegrain::recorder
