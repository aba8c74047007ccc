// SPDX-License-Identifier: MIT
//
// TetGen's two files, one input: the nodes, a 0 byte, the tetrahedra. And the matrix made of them in every
// order.
#include "kernels/problem/tetgen_reader.hpp"

#include <algorithm>
#include <cstdint>

#include "tests/fuzz/every_order.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  using namespace finegrain::problem;
  const std::string_view text = fuzz::as_text({bytes, size});
  const std::size_t nodes_end = std::min(text.find('\0'), text.size());
  const auto path = fuzz::write_input("m.node", text.substr(0, nodes_end));
  fuzz::write_input("m.ele", text.substr(std::min(nodes_end + 1, text.size())));
  fuzz::read_or_refuse([&] { fuzz::make_in_every_order(read_tetgen(path).mesh); });
  return 0;
}
