// SPDX-License-Identifier: MIT
//
// A Matrix Market file, and the orders that its rows may be put in.
#include "kernels/problem/matrix_market.hpp"

#include <cstdint>

#include "kernels/problem/row_order.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  using namespace finegrain::problem;
  const auto path = fuzz::write_input("m.mtx", fuzz::as_text({bytes, size}));
  fuzz::read_or_refuse([&] {
    const EllpackMatrix matrix = read_matrix_market(path, usual_most_padding).matrix;
    for (const RowOrder order : {RowOrder::rcm, RowOrder::random})
      renumbered(matrix.view(), permutation(order, matrix.view(), 1));
  });
  return 0;
}
