// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace finegrain::recorder {

/// Who makes a call inside a call of the program: the MPI library, for its own purposes, or a function of the
/// program that the library calls, such as an error handler.
/// @param return_address  the call's
/// @param library_uses_name  whether MPI libraries call this function by the name that was called. They call
/// those that communicate by the names with P only, except ROMIO. By the other name, a function of the
/// program has jumped to the call that is its last; the return address is then its caller's, the library's
bool is_librarys_own(const void* return_address, bool library_uses_name);

/// Whether a call was made by an MPI library's Fortran functions. They make the program's calls, but convert
/// its handles by functions of C, which are not the program's.
bool is_of_fortran_library(const void* return_address);

/// The file that code was loaded from.
struct LoadedFile {
  const void* start = nullptr;  ///< none if the code was made by the program
  const char* path = "";        ///< empty: the program's own
  std::uintptr_t bias = 0;      ///< what was added to the file's addresses
};
LoadedFile file_of(const void* code);

}  // namespace finegrain::recorder
