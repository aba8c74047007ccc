#include <mpi.h>

static double values[2][2000];

static void exchange(int left, int right) {
  MPI_Request requests[4];
  MPI_Irecv(values[0], 500, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, requests);
  MPI_Irecv(values[1], 500, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, requests + 1);
  MPI_Isend(values[0] + 1000, 500, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, requests + 2);
  MPI_Isend(values[1] + 1000, 500, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, requests + 3);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

int main(int count, char** words) {
  int rank, ranks;
  double sum;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 50; ++i) {
    exchange((rank + ranks - 1) % ranks, (rank + 1) % ranks);
    MPI_Allreduce(values[0], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
