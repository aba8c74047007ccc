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
  int kept_start;  ///< of the summed product, in this rank's rows
  int kept_length;
  std::vector<CgExchange> reduce;  ///< of a product, in the order of the program; received into kept_start
  std::vector<int> sum_peers;      ///< of a scalar, in the order of the program
  CgExchange transpose;
};

/// @pre ranks is a power of two
CgLayout cg_layout(int rows, int ranks, int rank);

}  // namespace finegrain::kernels
