// SPDX-License-Identifier: MIT
#include "kernels/npb/cg_layout.hpp"

#include <algorithm>

namespace finegrain::kernels {
namespace {

/// Where one of several equal parts begins.
int begin_of(int rows, int parts, int part) {
  const int length = rows / parts;
  const int longer = rows - parts * length;
  return part < longer ? part * (length + 1) : longer * (length + 1) + (part - longer) * length;
}

}  // namespace

CgLayout cg_layout(int rows, int ranks, int rank) {
  int nprows = 1;
  while (4 * nprows * nprows <= ranks)
    nprows *= 2;
  const int npcols = ranks / nprows;
  const bool square = npcols == nprows;
  const int row = rank / npcols;
  const int column = rank % npcols;

  CgLayout layout{};
  layout.first_row = begin_of(rows, nprows, row);
  layout.rows = begin_of(rows, nprows, row + 1) - layout.first_row;
  layout.kept_length = layout.rows;
  if (square) {
    layout.first_column = begin_of(rows, npcols, column);
    layout.columns = begin_of(rows, npcols, column + 1) - layout.first_column;
  } else {
    // npcols is 2 nprows: two neighbours share a part of the columns, and split the rows of a product.
    layout.first_column = begin_of(rows, nprows, column / 2);
    layout.columns = begin_of(rows, nprows, column / 2 + 1) - layout.first_column;
    const int first_half = (layout.columns + 1) / 2;
    const int first_rows = (layout.rows + 1) / 2;
    if (rank % 2 == 0) {
      layout.columns = first_half;
      layout.kept_length = first_rows;
    } else {
      layout.first_column += first_half;
      layout.columns -= first_half;
      layout.kept_start = first_rows;
      layout.kept_length = layout.rows - first_rows;
    }
  }

  for (int distance = npcols / 2; distance > 0; distance /= 2)
    layout.sum_peers.push_back(row * npcols + (column + distance) % (2 * distance) +
                               column / (2 * distance) * (2 * distance));
  for (const int peer : layout.sum_peers)
    layout.reduce.push_back({peer, layout.kept_start, layout.kept_length, layout.kept_length});
  std::reverse(layout.reduce.begin(), layout.reduce.end());
  if (!square) {
    CgExchange& halving = layout.reduce.front();
    halving.send_start = rank % 2 == 0 ? layout.kept_length : 0;
    halving.send_length = layout.rows - layout.kept_length;
  }
  layout.transpose = {square ? rank % nprows * nprows + rank / nprows
                             : 2 * (rank / 2 % nprows * nprows + rank / 2 / nprows) + rank % 2,
                      layout.kept_start, layout.kept_length, layout.columns};
  return layout;
}

}  // namespace finegrain::kernels
