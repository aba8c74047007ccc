// SPDX-License-Identifier: MIT
// Rank 0 waits for a message by tests or probes that find nothing, with pauses between them; rank 1 sends it
// after 300 ms in which it only sleeps, three times.
// pauses HOW, one of usleep, poll, condition, read and sched_yield.
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const long pause_ns = 3000000;

static void wait_for_condition(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  const long end_ns = end.tv_nsec + pause_ns;
  end.tv_sec += end_ns / 1000000000;
  end.tv_nsec = end_ns % 1000000000;
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&condition, &mutex, &end);
  pthread_mutex_unlock(&mutex);
}

static void read_file_that_waits(void) {
  const struct itimerspec soon = {{0, 0}, {0, pause_ns}};
  unsigned long long times;
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(timer, 0, &soon, NULL);
  if (read(timer, &times, sizeof times) != sizeof times) MPI_Abort(MPI_COMM_WORLD, 1);
  close(timer);
}

static void pause_by(const char* how) {
  if (strcmp(how, "usleep") == 0) usleep(pause_ns / 1000);
  if (strcmp(how, "poll") == 0) poll(NULL, 0, pause_ns / 1000000);
  if (strcmp(how, "condition") == 0) wait_for_condition();
  if (strcmp(how, "read") == 0) read_file_that_waits();
  if (strcmp(how, "sched_yield") == 0) sched_yield();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
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
