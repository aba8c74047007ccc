// SPDX-License-Identifier: MIT
//
// A Gmsh file, text or binary, and the matrix made of it in every order.
#include "kernels/problem/gmsh_reader.hpp"

#include <cstdint>

#include "tests/fuzz/every_order.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  using namespace finegrain::problem;
  const auto path = fuzz::write_input("m.msh", fuzz::as_text({bytes, size}));
  fuzz::read_or_refuse([&] { fuzz::make_in_every_order(read_gmsh(path).mesh); });
  return 0;
}
