// SPDX-License-Identifier: MIT
// leaves_calls error|deep|alarm|handler|writing|inside: rank 0 leaves an MPI call by longjmp(), from an error
// handler near main() or far from it, or from a signal's handler, which may have called MPI itself, on a
// stack of its own; or every rank leaves one while the recorder writes into its file; or (inside) a call
// inside another one.
#define _GNU_SOURCE
#include <limits.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static sigjmp_buf before;
static int calls_in_handler;
static volatile int is_writing;

static void leave(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  siglongjmp(before, 1);
}

static void on_alarm(int number) {
  (void)number;
  int value = 0;
  if (calls_in_handler) MPI_Send(&value, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
  siglongjmp(before, 1);
}

static void fail(void) {
  int value = 0;
  MPI_Send(&value, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
}

/// Calls MPI from further down the stack than fail() does.
static __attribute__((noinline)) int sum(int depth, int value) {
  volatile char filled[256];
  memset((void*)filled, depth, sizeof filled);
  if (depth > 0) return sum(depth - 1, value) + filled[0] - depth;
  int all = 0;
  MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void wait_for_alarm(void) {
  stack_t stack = {.ss_sp = malloc(1 << 20), .ss_size = 1 << 20};
  sigaltstack(&stack, NULL);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_alarm;
  action.sa_flags = calls_in_handler ? SA_ONSTACK : 0;
  sigaction(SIGALRM, &action, NULL);
  struct itimerval soon = {{0, 0}, {0, 50000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  if (calls_in_handler) {
    for (;;)
      continue;
  }
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/// In place of the C library's: the first write into a trace is left, as a signal's handler could.
ssize_t write(int file, const void* bytes, size_t count) {
  char link[32], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = is_writing ? readlink(link, path, sizeof path) : 0;
  if (length > 4 && memcmp(path + length - 4, ".fgt", 4) == 0) {
    is_writing = 0;
    siglongjmp(before, 1);
  }
  return syscall(SYS_write, file, bytes, count);
}

/// The call inside is left to this function, and the outer one goes on.
static int leaves_inside(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  if (sigsetjmp(before, 1) == 0) fail();
  return MPI_SUCCESS;
}

static void leave_inside(void) {
  int key;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leaves_inside, &key, NULL);
  MPI_Comm_set_attr(comm, key, NULL);
  MPI_Comm_free(&comm);
}

static void leave_writing(void) {
  is_writing = 1;
  if (sigsetjmp(before, 1) != 0) return;
  for (;;)
    MPI_Pcontrol(1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(argv[1], "writing") == 0) {
    leave_writing();
    if (rank == 0) puts("done");
    MPI_Finalize();
    return 0;
  }
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  if (strcmp(argv[1], "inside") == 0) {
    leave_inside();
    MPI_Finalize();
    return 0;
  }
  calls_in_handler = strcmp(argv[1], "handler") == 0;
  const int is_deep = strcmp(argv[1], "deep") == 0;
  if (rank == 0) {
    if (sigsetjmp(before, 1) != 0) {
      puts("left");
    } else if (strcmp(argv[1], "error") == 0 || is_deep) {
      fail();
    } else {
      wait_for_alarm();
    }
  }
  int total = 0;
  for (int n = 0; n < 10; ++n)
    total += sum(is_deep ? 5 : 0, 1);
  if (rank == 0) printf("%d\n", total);
  MPI_Finalize();
  return 0;
}
