// SPDX-License-Identifier: MIT
// Preloaded into the ranks of the testbed. Open MPI calls sched_yield in a rank that waits
// (mpi_yield_when_idle). Here the rank sleeps for 50 us instead. So ranks that wait leave the few cores of
// this machine to those that have work, and can have real-time priority: the machine's other work then no
// longer disturbs them, nor do they stop it.
#include <time.h>

int sched_yield(void) {
  const struct timespec pause = {0, 50000};
  nanosleep(&pause, NULL);
  return 0;
}
