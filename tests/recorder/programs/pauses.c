// SPDX-License-Identifier: MIT
// Rank 0 waits for a message by tests or probes that find nothing, with pauses between them; rank 1 sends it
// after 300 ms in which it only sleeps, three times.
// pauses HOW, one of usleep, nanosleep, clock_nanosleep, select, and sched_yield; errno: interrupted pauses
// say so.
#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int pause_by(const char* how) {
  const struct timespec time = {0, 30000000};
  struct timeval same = {0, 30000};
  if (strcmp(how, "usleep") == 0) return usleep(30000);
  if (strcmp(how, "nanosleep") == 0) return nanosleep(&time, NULL);
  if (strcmp(how, "clock_nanosleep") == 0) return clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
  if (strcmp(how, "select") == 0) return select(0, NULL, NULL, NULL, &same);
  return sched_yield();
}

static void ignore(int number) {
  (void)number;
}

/// @returns whether an alarm interrupts each kind of sleep as POSIX says
static int are_interrupted(void) {
  const struct sigaction action = {.sa_handler = ignore};
  // Again and again, since the first may come before the sleep.
  const struct itimerval soon = {{0, 50000}, {0, 50000}}, never = {{0, 0}, {0, 0}};
  struct timespec second = {1, 0}, left = {0, 0};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &soon, NULL);
  errno = 0;
  int good = nanosleep(&second, &left) == -1 && errno == EINTR && left.tv_nsec > 0;
  setitimer(ITIMER_REAL, &soon, NULL);
  errno = 0;
  good = good && clock_nanosleep(CLOCK_MONOTONIC, 0, &second, &left) == EINTR && errno == 0;
  setitimer(ITIMER_REAL, &soon, NULL);
  good = good && usleep(999999) == -1 && errno == EINTR;
  setitimer(ITIMER_REAL, &soon, NULL);
  good = good && sleep(2) > 0;
  setitimer(ITIMER_REAL, &never, NULL);
  second.tv_nsec = -1;
  good = good && nanosleep(&second, NULL) == -1 && errno == EINVAL;
  errno = ERANGE;
  second = (struct timespec){0, 1000};
  return good && nanosleep(&second, NULL) == 0 && usleep(1) == 0 && sched_yield() == 0 && errno == ERANGE;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!are_interrupted()) {
    fprintf(stderr, "rank %d: a pause does not end as POSIX says\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  int token = 0;
  for (int step = 0; step < 3; ++step) {
    if (rank == 1) {
      MPI_Barrier(MPI_COMM_WORLD);
      usleep(300000);
      MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
      MPI_Request request;
      MPI_Barrier(MPI_COMM_WORLD);
      if (step != 1) MPI_Irecv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
      for (int found = 0; found == 0;) {
        if (step == 1) {
          MPI_Iprobe(1, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        } else {
          MPI_Test(&request, &found, MPI_STATUS_IGNORE);
        }
        if (found == 0) pause_by(argv[1]);
      }
      if (step == 1) MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Finalize();
  return 0;
}
