// SPDX-License-Identifier: MIT
// A scatter, after which ranks begin a ring one after the other. No two blocks are equal: where messages end
// at the same instant, which of them meet on a link depends on 10 ns, in SMPI more than in the replay.
#include <mpi.h>
#include <stdlib.h>

enum { most = 64, all = 50000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double* a = calloc(all, sizeof(double));
  double* b = calloc(all, sizeof(double));
  int scattered[most], starts[most], passed[most];
  const int block = all / ranks;
  for (int r = 0; r < ranks; ++r) {
    scattered[r] = block - r * 37 % (block / 2);
    passed[r] = block - r * 53 % (block / 2);
    starts[r] = r * block;
  }
  MPI_Scatterv(a, scattered, starts, MPI_DOUBLE, b, scattered[rank], MPI_DOUBLE, 0, MPI_COMM_WORLD);
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  for (int step = 0; step < ranks - 1; ++step) {
    const int sent = (rank - step + ranks) % ranks, received = (sent + ranks - 1) % ranks;
    MPI_Sendrecv(b + starts[sent], passed[sent], MPI_DOUBLE, next, 1, b + starts[received], passed[received],
                 MPI_DOUBLE, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  free(a);
  free(b);
  MPI_Finalize();
  return 0;
}
