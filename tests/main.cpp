// SPDX-License-Identifier: MIT
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

// Asked by the sanitizer that looks for leaks. Not finegrain's are these: clang's OpenMP never frees what its
// threads have, OTF2's library forgets what it has opened where it finds no archive, and SimGrid keeps its
// engine until the process ends.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libomp.so\nleak:libopen-trace-format2.so\nleak:libsimgrid.so\n";
}
