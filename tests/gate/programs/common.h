// SPDX-License-Identifier: MIT
// Work for the programs beside it, which stand for the usual kinds of mini-apps. Their lines that begin with a mark are
// not compiled: tests/gate/run makes mutants of them.
//   //@ step            all ranks come here in each step
//   //= KIND:NAME code  the mutant has this line in place of the one before
//   //- KIND:NAME       the mutant lacks the line before
//   //+ KIND:NAME code  the mutant has this line, too
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not each program uses all of this. */
#define USED __attribute__((unused))
#define COLUMNS 500
#define MOST_ROWS 1200

/* One sweep of a five-point stencil. */
USED static void sweep(double* to, const double* from, int rows) {
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j < COLUMNS - 1; ++j)
      to[i * COLUMNS + j] = 0.25 * (from[(i - 1) * COLUMNS + j] + from[(i + 1) * COLUMNS + j] +
                                    from[i * COLUMNS + j - 1] + from[i * COLUMNS + j + 1]);
}

USED static double sum_of(const double* values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i] * values[i];
  return sum;
}

USED static double* field(void) {
  double* values = malloc(sizeof(double) * (MOST_ROWS + 2) * COLUMNS);
  for (int i = 0; i < (MOST_ROWS + 2) * COLUMNS; ++i) values[i] = i % 7;
  return values;
}

/* More of one rank's work, where a mutant says so. */
USED static int more(int rows, int is_more) {
  return is_more ? rows + rows / 5 : rows;
}
