#include <mpi.h>
#include <unistd.h>

int main(int count, char** words) {
  int rank, value = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 3) {
    usleep(500000);
    MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);  // late
  } else if (rank == 0) {
    MPI_Recv(&value, 1, MPI_INT, 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // waits
    usleep(300000);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
