// SPDX-License-Identifier: MIT
#pragma once

// The installed MPI's C interface, for a library that is loaded into programs that may have no MPI.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <string_view>

namespace finegrain::recorder {

/// The address of a function of the program's MPI library, none if the program has none.
void* find_function(const char* name);
/// The same for an object, which the linker may have moved to the program.
void* find_object(const char* name);
/// Finds an object for bound_object(): a thread that records must not wait for the loader's lock, because
/// another one that has it may call MPI.
void bind_object(const char* name);
/// The address of an object that was found; else none.
void* bound_object(std::string_view name);

}  // namespace finegrain::recorder

// Open MPI's constants are addresses of objects in its library. A library that refers to them cannot be
// loaded into a program without MPI, such as the shell that starts mpirun; so they are looked up when the
// first function of MPI is called.
#ifdef OMPI_PREDEFINED_GLOBAL
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global)                                 \
  ([]() -> type {                                                            \
    static void* const found = ::finegrain::recorder::bound_object(#global); \
    return static_cast<type>(found);                                         \
  }())
#endif
