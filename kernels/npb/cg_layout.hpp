// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace finegrain::kernels {

/// A message to a partner, and the message that the partner sends.
struct CgExchange {
  int peer;
  int send_start;  ///< in this rank's part of the product, from 0
  int send_length;
  int receive_length;
};

/// Which block of the matrix a rank has, and with whom it exchanges what: setup_submatrix_info of NPB 3.3's
/// cg.f, numbers from 0.
struct CgLayout {
  int first_row;
  int rows;
  int first_column;
  int columns;
  int kept_start;  ///< where the kept part of the summed product begins, in this rank's rows
  int kept_length;
  std::vector<CgExchange> reduce;  ///< a product's messages, in the program's order; received into kept_start
  std::vector<int> sum_peers;      ///< the ranks with which a scalar is summed, in the program's order
  CgExchange transpose;
};

/// @pre ranks is a power of two
CgLayout cg_layout(int rows, int ranks, int rank);

}  // namespace finegrain::kernels
