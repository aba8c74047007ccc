#include <mpi.h>

static double values[2][4000];

int main(int count, char** words) {
  int rank, ranks;
  MPI_Win window;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win_create(values[0], sizeof values[0], sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  for (int i = 0; i < 20; ++i) {
    const int size = 4000 / PIECES;
    for (int p = 0; p < PIECES; ++p)
      MPI_Put(values[1] + p * size, size, MPI_DOUBLE, (rank + 1) % ranks, p * size, size, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
  }
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
