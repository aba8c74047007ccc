#include <mpi.h>

static double values[2][4000];

int main(int count, char** words) {
  int rank, ranks;
  double sum;
  MPI_Request requests[2 * PIECES];
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 20; ++i) {
    const int size = 4000 / PIECES;
    for (int p = 0; p < PIECES; ++p)
      MPI_Irecv(values[0] + p * size, size, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                requests + p);
    for (int p = 0; p < PIECES; ++p)
      MPI_Isend(values[1] + p * size, size, MPI_DOUBLE, (rank + 1) % ranks, 0, MPI_COMM_WORLD,
                requests + PIECES + p);
    MPI_Waitall(2 * PIECES, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(values[0], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Allreduce(&sum, values[0], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
