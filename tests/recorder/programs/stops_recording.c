// SPDX-License-Identifier: MIT
// stops_recording size|descriptors: forbids files above 1 KiB, or closes the recorder's files and gives the
// numbers of their descriptors to files of its own.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void take_descriptors(int rank) {
  for (int number = 3; number < 1024; ++number) {
    char name[64], target[512];
    snprintf(name, sizeof name, "/proc/self/fd/%d", number);
    const ssize_t length = readlink(name, target, sizeof target - 1);
    if (length <= 0) continue;
    target[length] = '\0';
    if (strstr(target, ".fgt") == NULL && strstr(target, "/schedstat") == NULL) continue;
    snprintf(name, sizeof name, "result.%d.%d", rank, number);
    const int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0644);
    if (write(file, "data\n", 5) != 5 || dup2(file, number) < 0) exit(1);
    close(file);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  usleep(1000);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(argv[1], "descriptors") == 0) take_descriptors(rank);
  if (strcmp(argv[1], "size") == 0) {
    const struct rlimit limit = {1024, 1024};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  static double values[1000];
  srand(1);
  for (int n = 0; n < 2000; ++n)
    MPI_Bcast(values, rand() % 1000, MPI_DOUBLE, rand() % 2, MPI_COMM_WORLD);
  if (rank == 0) puts("done");
  MPI_Finalize();
  return 0;
}
