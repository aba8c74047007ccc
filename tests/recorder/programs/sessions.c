// SPDX-License-Identifier: MIT
// A program without MPI_Init: its communicators are made of groups of a session. With -DPLAIN the same after
// MPI_Init.
#include <mpi.h>

static MPI_Comm make(MPI_Comm parent, MPI_Group group, const char* name) {
  MPI_Comm made;
#ifdef PLAIN
  (void)name;
  MPI_Comm_create_group(parent, group, 0, &made);
#else
  (void)parent;
  MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
#endif
  return made;
}

int main(int argc, char** argv) {
  MPI_Group all, own;
#ifdef PLAIN
  MPI_Init(&argc, &argv);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
#else
  (void)argc, (void)argv;
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
#endif
  MPI_Comm world = make(MPI_COMM_WORLD, all, "all"), half;
  int rank, ranks, sum, token;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  int range[1][3] = {{rank % 2, ranks - 1, 2}};
  MPI_Group_range_incl(all, 1, range, &own);
  half = make(MPI_COMM_WORLD, own, "half");
  for (int step = 0; step < 3; ++step) {
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 7, &token, 1, MPI_INT, (rank + ranks - 1) % ranks, 7,
                 world, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
  }
  MPI_Group_free(&own);
  MPI_Group_free(&all);
  MPI_Comm_free(&half);
  MPI_Comm_free(&world);
#ifdef PLAIN
  MPI_Finalize();
#else
  MPI_Session_finalize(&session);
#endif
  return 0;
}
