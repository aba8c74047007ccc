// SPDX-License-Identifier: MIT
// Sorting by samples: local sorts, splitters that all know, buckets to their owners.
#include "common.h"

#define KEYS 20000
#define SAMPLES 64

//@ function
static int by_value(const void* a, const void* b) {
  const int one = *(const int*)a, other = *(const int*)b;
  return one < other ? -1 : one > other;
}
//@ end

//@ function
static void fill(int* keys, int count, unsigned seed) {
  for (int i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    keys[i] = (int)(seed >> 8);
  }
}
//@ end

int main(int count, char** words) {
  int rank, ranks;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int* keys = calloc(4 * KEYS, sizeof(int));
  int* sorted = calloc(8 * KEYS, sizeof(int));
  int* samples = calloc(2 * SAMPLES * (size_t)ranks, sizeof(int));
  int* sizes = calloc(4 * (size_t)ranks, sizeof(int));
  for (int step = 0; step < 16; ++step) {
    fill(keys, 2 * KEYS, (unsigned)(step * 64 + rank));
    qsort(keys, KEYS, sizeof(int), by_value);
    //= imbalance:local qsort(keys, (size_t)more(KEYS, rank == RANK), sizeof(int), by_value);
    MPI_Allgather(keys, SAMPLES, MPI_INT, samples, SAMPLES, MPI_INT, MPI_COMM_WORLD);
    //= size:samples MPI_Allgather(keys, 2 * SAMPLES, MPI_INT, samples, 2 * SAMPLES, MPI_INT, MPI_COMM_WORLD);
    qsort(samples, SAMPLES * (size_t)ranks, sizeof(int), by_value);
    for (int to = 0; to < ranks; ++to) {
      sizes[to] = sizes[ranks + to] = KEYS / ranks;
      sizes[2 * ranks + to] = sizes[3 * ranks + to] = to * (KEYS / ranks);
    }
    MPI_Alltoall(sizes, 1, MPI_INT, sizes + ranks, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(keys, sizes, sizes + 2 * ranks, MPI_INT, sorted, sizes + ranks, sizes + 3 * ranks, MPI_INT, MPI_COMM_WORLD);
    //= size:buckets for (int to = 0; to < ranks; ++to) sizes[to] = sizes[ranks + to] = 2 * (KEYS / ranks), sizes[3 * ranks + to] = 2 * to * (KEYS / ranks);
    //+ size:buckets MPI_Alltoallv(keys, sizes, sizes + 2 * ranks, MPI_INT, sorted, sizes + ranks, sizes + 3 * ranks, MPI_INT, MPI_COMM_WORLD);
    //= pieces:buckets for (int from = 1; from < ranks; ++from) MPI_Sendrecv(keys, KEYS / ranks, MPI_INT, (rank + from) % ranks, 0, sorted, KEYS / ranks, MPI_INT, (rank + ranks - from) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fill(sorted, 2 * KEYS, (unsigned)(step * 64 + rank + 32));
    qsort(sorted, KEYS, sizeof(int), by_value);
    //= imbalance:merge qsort(sorted, (size_t)more(KEYS, rank == RANK), sizeof(int), by_value);
    MPI_Barrier(MPI_COMM_WORLD);
    //@ step
  }
  MPI_Finalize();
  return 0;
}
