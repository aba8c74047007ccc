// SPDX-License-Identifier: MIT
// Threads of a rank work while its main thread sleeps until they have done; only that one calls MPI. Each
// thread works 200 ms of CPU time, in so many steps. All threads of the rank, and one that always works, have
// the same core.
//
// workers NUMBER STEPS pool|new: NUMBER threads that stay, or that each step begins anew
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int steps;
static pthread_barrier_t begin, done;

static void work(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  const long until_ns = used.tv_sec * 1000000000 + used.tv_nsec + 200000000 / steps;
  while (used.tv_sec * 1000000000 + used.tv_nsec < until_ns)
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
}

static void* work_once(void* nothing) {
  work();
  return nothing;
}

static void* work_in_each_step(void* nothing) {
  for (int step = 0; step < steps; ++step) {
    pthread_barrier_wait(&begin);
    work();
    pthread_barrier_wait(&done);
  }
  return nothing;
}

static void take_one_core(void) {
  cpu_set_t allowed, one;
  int core = 0;
  sched_getaffinity(0, sizeof allowed, &allowed);
  while (!CPU_ISSET(core, &allowed))
    ++core;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

int main(int argc, char** argv) {
  const int number = atoi(argv[1]);
  steps = atoi(argv[2]);
  const int stay = strcmp(argv[3], "pool") == 0;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  take_one_core();
  const pid_t other = fork();
  if (other == 0) {
    alarm(60);
    for (;;) {
    }
  }
  pthread_t threads[64];
  pthread_barrier_init(&begin, NULL, number + 1);
  pthread_barrier_init(&done, NULL, number + 1);
  for (int n = 0; stay && n < number; ++n)
    pthread_create(&threads[n], NULL, work_in_each_step, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < steps; ++step) {
    if (stay) {
      pthread_barrier_wait(&begin);
      pthread_barrier_wait(&done);
    } else {
      for (int n = 0; n < number; ++n)
        pthread_create(&threads[n], NULL, work_once, NULL);
      for (int n = 0; n < number; ++n)
        pthread_join(threads[n], NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int n = 0; stay && n < number; ++n)
    pthread_join(threads[n], NULL);
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  MPI_Finalize();
  return 0;
}
