// SPDX-License-Identifier: MIT
// A thread of rank 1 works 300 ms of CPU time before its first call of MPI (argument before), or after its
// last one (after); or the thread lives on, and works then (pool), or makes no call at all (none). The main
// thread waits for it. With a second argument, the program promises that only one thread calls MPI at a time.
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static int rank;
static const char* way;
static pthread_barrier_t meet;

static void work(void) {
  struct timespec start, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - start.tv_sec) + 1e-9 * (now.tv_nsec - start.tv_nsec) < 0.3);
}

static void exchange(void) {
  int mine = 0, others;
  MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &others, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void* run(void* nothing) {
  if (rank == 1 && strcmp(way, "before") == 0) work();
  if (nothing == NULL) exchange();
  if (rank == 1 && strcmp(way, "before") != 0 && (nothing != NULL || strcmp(way, "none") != 0)) work();
  if (strcmp(way, "pool") != 0) return nothing;
  pthread_barrier_wait(&meet);
  pthread_barrier_wait(&meet);
  return nothing;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, argc > 2 ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  way = argv[1];
  pthread_barrier_init(&meet, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  if (strcmp(way, "pool") == 0) {
    pthread_barrier_wait(&meet);
  } else {
    pthread_join(thread, NULL);
  }
  if (strcmp(way, "none") == 0) {
    pthread_create(&thread, NULL, run, (void*)way);
    pthread_join(thread, NULL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (strcmp(way, "pool") == 0) {
    pthread_barrier_wait(&meet);
    pthread_join(thread, NULL);
  }
  return 0;
}
