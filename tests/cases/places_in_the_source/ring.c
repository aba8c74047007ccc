#include <mpi.h>

double largest(double value);
double sum_of(double value);

static double values[2];

static void exchange(int left, int right) {
  MPI_Request requests[2];
  MPI_Irecv(values, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, requests);
  MPI_Isend(values + 1, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, requests + 1);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int count, char** words) {
  int rank, ranks;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 2000; ++i) {
    exchange((rank + ranks - 1) % ranks, (rank + 1) % ranks);
    if (i % 4 == 0) values[0] = largest(values[0]);
    values[1] = sum_of(values[0]);
  }
  values[0] = largest(values[1]);
  MPI_Finalize();
  return 0;
}
