// SPDX-License-Identifier: MIT
// Communicators of all kinds, made and freed again and again, each with a collective and a message on it.
#include <mpi.h>

#include <vector>

namespace {

// Every collective that there is between two groups, from the last rank of the group that has rank 0 of the
// run.
void use_between_groups(MPI_Comm comm, int rank, int ranks) {
  int of_run, remote;
  MPI_Comm_rank(MPI_COMM_WORLD, &of_run);
  MPI_Comm_remote_size(comm, &remote);
  const bool is_roots_group = of_run % 2 == 0;
  const int root_rank = (is_roots_group ? ranks : remote) - 1;
  const int root = !is_roots_group ? root_rank : rank == root_rank ? MPI_ROOT : MPI_PROC_NULL;
  const MPI_Datatype type = MPI_DOUBLE;
  const auto others = static_cast<std::size_t>(remote);
  // What a rank sends to each other, and receives from each: as much as the sender's rank says.
  std::vector<double> in(100 * others), out(100 * others);
  std::vector<int> counts_to(others, rank + 1), counts_from, starts;
  for (int n = 0; n < remote; ++n) {
    counts_from.push_back(n + 1);
    starts.push_back(100 * n);
  }
  MPI_Barrier(comm);
  MPI_Bcast(in.data(), 10, type, root, comm);
  MPI_Gather(out.data(), 3, type, in.data(), 3, type, root, comm);
  MPI_Gatherv(out.data(), rank + 1, type, in.data(), counts_from.data(), starts.data(), type, root, comm);
  MPI_Scatter(out.data(), 3, type, in.data(), 3, type, root, comm);
  MPI_Scatterv(out.data(), counts_from.data(), starts.data(), type, in.data(), rank + 1, type, root, comm);
  MPI_Reduce(out.data(), in.data(), 5, type, MPI_SUM, root, comm);
  MPI_Allgather(out.data(), 2, MPI_DOUBLE, in.data(), 2, MPI_DOUBLE, comm);
  MPI_Allgatherv(out.data(), rank + 1, MPI_DOUBLE, in.data(), counts_from.data(), starts.data(), MPI_DOUBLE,
                 comm);
  MPI_Allreduce(out.data(), in.data(), 7, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Alltoall(out.data(), 4, MPI_DOUBLE, in.data(), 4, MPI_DOUBLE, comm);
  MPI_Alltoallv(out.data(), counts_to.data(), starts.data(), MPI_DOUBLE, in.data(), counts_from.data(),
                starts.data(), MPI_DOUBLE, comm);
  std::vector<double> all(static_cast<std::size_t>(3 * ranks * remote + 300)), mine(2 * others);
  MPI_Reduce_scatter_block(all.data(), mine.data(), remote, MPI_DOUBLE, MPI_SUM, comm);
  const std::vector<int> alike(static_cast<std::size_t>(ranks), remote);
  MPI_Reduce_scatter(all.data(), mine.data(), alike.data(), MPI_DOUBLE, MPI_SUM, comm);

  std::vector<double> part(others);
  MPI_Request requests[4];
  MPI_Ibcast(in.data(), 10, type, root, comm, &requests[0]);
  MPI_Iallgather(out.data(), 2, MPI_DOUBLE, mine.data(), 2, MPI_DOUBLE, comm, &requests[1]);
  MPI_Igather(out.data(), 3, type, all.data(), 3, type, root, comm, &requests[2]);
  MPI_Ireduce_scatter(all.data() + 3 * others, part.data(), alike.data(), MPI_DOUBLE, MPI_SUM, comm,
                      &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

void use(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;
  int rank, ranks, is_inter;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_test_inter(comm, &is_inter);
  double value = 1, sum = 0;
  if (is_inter != 0) {
    use_between_groups(comm, rank, ranks);
    int remote = 0;
    MPI_Comm_remote_size(comm, &remote);
    if (rank < remote && rank < ranks)
      MPI_Sendrecv(&value, 1, MPI_DOUBLE, rank, 3, &sum, 1, MPI_DOUBLE, rank, 3, comm, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Sendrecv(&value, 1, MPI_DOUBLE, (rank + 1) % ranks, 4, &sum, 1, MPI_DOUBLE, (rank + ranks - 1) % ranks,
               4, comm, MPI_STATUS_IGNORE);
}

void use_and_free(MPI_Comm& comm) {
  use(comm);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  use(MPI_COMM_SELF);
  for (int round = 0; round < 3; ++round) {
    MPI_Comm comm, rows, grid;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_split(comm, rank % 2, -rank, &rows);
    use(rows);

    // Between the even and the odd ranks, if there are both. The highest rank of each is its first.
    if (ranks > 1) {
      MPI_Comm between, merged;
      const int leader = (rank + ranks) % 2 == 0 ? ranks - 1 : ranks - 2;  // the others'
      MPI_Intercomm_create(rows, 0, MPI_COMM_WORLD, leader, 5, &between);
      use(between);
      MPI_Intercomm_merge(between, rank % 2, &merged);
      use_and_free(merged);
      use_and_free(between);
    }
    use_and_free(rows);

    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &rows);
    use_and_free(rows);

    int sizes[2] = {0, 0};
    const int periods[2] = {1, 0};
    MPI_Dims_create(ranks, 2, sizes);
    MPI_Cart_create(comm, 2, sizes, periods, 0, &grid);
    const int remaining[2] = {0, 1};
    MPI_Cart_sub(grid, remaining, &rows);
    use_and_free(rows);
    std::vector<double> in(8), out(4);
    MPI_Neighbor_alltoall(in.data(), 1, MPI_DOUBLE, in.data() + 4, 1, MPI_DOUBLE, grid);
    MPI_Neighbor_allgather(out.data(), 1, MPI_DOUBLE, in.data(), 1, MPI_DOUBLE, grid);
    use_and_free(grid);

    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Dist_graph_create_adjacent(comm, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &grid);
    MPI_Request request;
    MPI_Ineighbor_alltoall(out.data(), 2, MPI_DOUBLE, in.data(), 2, MPI_DOUBLE, grid, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use_and_free(grid);

    MPI_Group all, first;
    MPI_Comm_group(comm, &all);
    const int members[2] = {0, ranks - 1};
    MPI_Group_incl(all, ranks > 1 ? 2 : 1, members, &first);
    MPI_Comm_create(comm, first, &rows);
    use_and_free(rows);
    if (rank == 0 || rank == ranks - 1) {
      MPI_Comm_create_group(comm, first, 7, &rows);
      use_and_free(rows);
    }
    MPI_Group_free(&first);
    MPI_Group_free(&all);

    MPI_Comm_idup(comm, &rows, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use_and_free(rows);
    use_and_free(comm);
  }
  MPI_Finalize();
  return 0;
}
