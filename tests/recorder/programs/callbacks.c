// SPDX-License-Identifier: MIT
// callbacks: calls of MPI in functions that MPI itself calls: an attribute's copy and delete functions, error
// handlers, operations, and the functions of generalized requests.
#include <mpi.h>
#include <stdio.h>

static int rank, ranks;

/// Sends to the next rank, and receives from the one before.
static void turn(int tag) {
  int sent = rank, received = -1;
  MPI_Request requests[2];
  MPI_Irecv(&received, 1, MPI_INT, (rank + ranks - 1) % ranks, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&sent, 1, MPI_INT, (rank + 1) % ranks, tag, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static int copies(MPI_Comm comm, int key, void* extra, void* value, void* copy, int* is_copied) {
  (void)comm, (void)key, (void)extra;
  *(void**)copy = value;
  *is_copied = 1;
  turn(1);
  return MPI_SUCCESS;
}

static int deletes(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  turn(2);
  return MPI_SUCCESS;
}

/// A compiler may jump to what is called last, which then seems to be called by MPI itself.
static int ends_with_a_call(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  return MPI_Barrier(MPI_COMM_WORLD);
}

static int frees_a_communicator(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  turn(3);
  MPI_Comm_free((MPI_Comm*)value);  // whose attribute is deleted in turn
  double sum = 0, one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return MPI_SUCCESS;
}

static void handles_error(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  turn(4);
}

static void adds(void* in, void* inout, int* length, MPI_Datatype* type) {
  int size = 0;
  MPI_Type_size(*type, &size);
  for (int i = 0; i < *length; ++i)
    ((int*)inout)[i] += ((int*)in)[i];
}

static int queries(void* extra, MPI_Status* status) {
  (void)extra;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
static int frees(void* extra) {
  (void)extra;
  turn(5);
  return MPI_SUCCESS;
}
static int cancels(void* extra, int is_complete) {
  (void)extra, (void)is_complete;
  return MPI_SUCCESS;
}

static void attributes(void) {
  int copied, ending;
  MPI_Comm first, second;
  MPI_Comm_create_keyval(copies, deletes, &copied, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, ends_with_a_call, &ending, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_set_attr(first, copied, NULL);
  MPI_Comm_dup(first, &second);
  MPI_Comm_set_attr(second, ending, NULL);
  MPI_Comm_free(&second);
  MPI_Comm_delete_attr(first, copied);
  MPI_Comm_free(&first);
}

static void errors(void) {
  MPI_Comm comm;
  MPI_Errhandler handler;
  int value = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(handles_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  MPI_Recv(&value, 1, MPI_INT, 1000, 0, comm, MPI_STATUS_IGNORE);
  MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  MPI_Comm_free(&comm);
}

static void operations(void) {
  MPI_Op op;
  int total = 0;
  MPI_Op_create(adds, 1, &op);
  MPI_Allreduce(&rank, &total, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  if (rank == 0) printf("%d\n", total);
}

static void generalized_requests(void) {
  // One wait has another one inside it.
  int sent = rank, received[2];
  MPI_Request requests[4];
  MPI_Grequest_start(queries, frees, cancels, NULL, &requests[0]);
  MPI_Grequest_complete(requests[0]);
  MPI_Irecv(&received[0], 1, MPI_INT, 0, 6, MPI_COMM_SELF, &requests[1]);
  MPI_Irecv(&received[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &requests[2]);
  MPI_Send(&sent, 1, MPI_INT, 0, 6, MPI_COMM_SELF);
  MPI_Isend(&sent, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  attributes();
  errors();
  operations();
  generalized_requests();
  // MPI_Finalize begins with this.
  int at_end, last;
  static MPI_Comm kept;
  MPI_Comm_dup(MPI_COMM_WORLD, &kept);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deletes, &last, NULL);
  MPI_Comm_set_attr(kept, last, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, frees_a_communicator, &at_end, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, at_end, &kept);
  MPI_Finalize();
  return 0;
}
