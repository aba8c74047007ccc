// SPDX-License-Identifier: MIT
// Counts, independently of the recorder, what a C program calls and what it sends to whom; preloaded before
// it, it sees the same calls of the same run. MPI_Finalize writes the counts to the folder COUNTER_FOLDER.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_functions = 256, most_ranks = 256, kinds = 5 };
static const char* const kind_names[kinds] = {"accumulate", "fetch", "get", "put", "send"};
enum { accumulate, fetch, get, put, sent };

static const char* names[most_functions];
static long calls[most_functions];
static int functions = 0;
static long messages[kinds][most_ranks], bytes[kinds][most_ranks];

/* Several threads may count at once. */
static pthread_mutex_t counts = PTHREAD_MUTEX_INITIALIZER;

static void note_call(const char* name) {
  int f = 0;
  pthread_mutex_lock(&counts);
  while (f < functions && strcmp(names[f], name) != 0)
    ++f;
  if (f == functions) names[functions++] = name;
  ++calls[f];
  pthread_mutex_unlock(&counts);
}

static void add(int kind, MPI_Group group, int peer, int elements, MPI_Datatype type) {
  int size = 0, world_peer = 0;
  MPI_Group world;
  if (peer == MPI_PROC_NULL) return;
  PMPI_Type_size(type, &size);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, 1, &peer, world, &world_peer);
  PMPI_Group_free(&world);
  pthread_mutex_lock(&counts);
  ++messages[kind][world_peer];
  bytes[kind][world_peer] += (long)elements * size;
  pthread_mutex_unlock(&counts);
}

static void add_send(int peer, int elements, MPI_Datatype type, MPI_Comm comm) {
  MPI_Group group;
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter) {
    PMPI_Comm_remote_group(comm, &group);
  } else {
    PMPI_Comm_group(comm, &group);
  }
  add(sent, group, peer, elements, type);
  PMPI_Group_free(&group);
}

static void add_transfer(int kind, int target, int elements, MPI_Datatype type, MPI_Win win) {
  MPI_Group group;
  PMPI_Win_get_group(win, &group);
  add(kind, group, target, elements, type);
  PMPI_Group_free(&group);
}

#define SEND(name)                                                                \
  int name(const void* b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c) { \
    note_call(#name);                                                             \
    add_send(peer, n, t, c);                                                      \
    return P##name(b, n, t, peer, tag, c);                                        \
  }
SEND(MPI_Send)
SEND(MPI_Ssend)
SEND(MPI_Rsend)
SEND(MPI_Bsend)

#define ISEND(name)                                                                               \
  int name(const void* b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c, MPI_Request* r) { \
    note_call(#name);                                                                             \
    add_send(peer, n, t, c);                                                                      \
    return P##name(b, n, t, peer, tag, c, r);                                                     \
  }
ISEND(MPI_Isend)
ISEND(MPI_Issend)
ISEND(MPI_Irsend)
ISEND(MPI_Ibsend)

// Persistent sends are sent when they are started.
static struct {
  MPI_Request request;
  int peer, n;
  MPI_Datatype type;
  MPI_Comm comm;
} persistent[256];
static int persistents = 0;
#define SEND_INIT(name)                                                                           \
  int name(const void* b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c, MPI_Request* r) { \
    const int result = P##name(b, n, t, peer, tag, c, r);                                         \
    note_call(#name);                                                                             \
    persistent[persistents].request = *r;                                                         \
    persistent[persistents].peer = peer;                                                          \
    persistent[persistents].n = n;                                                                \
    persistent[persistents].type = t;                                                             \
    persistent[persistents++].comm = c;                                                           \
    return result;                                                                                \
  }
SEND_INIT(MPI_Send_init)
SEND_INIT(MPI_Ssend_init)
SEND_INIT(MPI_Bsend_init)
// Open MPI gives a buffered one another handle when it is started.
static int start(MPI_Request* request) {
  int p = 0;
  while (p < persistents && persistent[p].request != *request)
    ++p;
  if (p < persistents) add_send(persistent[p].peer, persistent[p].n, persistent[p].type, persistent[p].comm);
  const int result = PMPI_Start(request);
  if (p < persistents) persistent[p].request = *request;
  return result;
}
int MPI_Start(MPI_Request* r) {
  note_call("MPI_Start");
  return start(r);
}
int MPI_Startall(int n, MPI_Request r[]) {
  note_call("MPI_Startall");
  int places[256];
  for (int i = 0; i < n; ++i)
    for (places[i] = 0; places[i] < persistents && persistent[places[i]].request != r[i];)
      ++places[i];
  for (int i = 0; i < n; ++i)
    if (places[i] < persistents) {
      const int p = places[i];
      add_send(persistent[p].peer, persistent[p].n, persistent[p].type, persistent[p].comm);
    }
  const int result = PMPI_Startall(n, r);
  for (int i = 0; i < n; ++i)
    if (places[i] < persistents) persistent[places[i]].request = r[i];
  return result;
}
int MPI_Sendrecv(const void* a, int an, MPI_Datatype at, int to, int atag, void* b, int bn, MPI_Datatype bt,
                 int from, int btag, MPI_Comm c, MPI_Status* s) {
  note_call("MPI_Sendrecv");
  add_send(to, an, at, c);
  return PMPI_Sendrecv(a, an, at, to, atag, b, bn, bt, from, btag, c, s);
}
int MPI_Sendrecv_replace(void* b, int n, MPI_Datatype t, int to, int tag, int from, int from_tag, MPI_Comm c,
                         MPI_Status* s) {
  note_call("MPI_Sendrecv_replace");
  add_send(to, n, t, c);
  return PMPI_Sendrecv_replace(b, n, t, to, tag, from, from_tag, c, s);
}

#define TRANSFER(name, kind, constness)                                                              \
  int name(constness void* b, int n, MPI_Datatype t, int target, MPI_Aint at, int m, MPI_Datatype u, \
           MPI_Win w) {                                                                              \
    note_call(#name);                                                                                \
    add_transfer(kind, target, m, u, w);                                                             \
    return P##name(b, n, t, target, at, m, u, w);                                                    \
  }
TRANSFER(MPI_Put, put, const)
TRANSFER(MPI_Get, get, )
int MPI_Rput(const void* b, int n, MPI_Datatype t, int target, MPI_Aint at, int m, MPI_Datatype u, MPI_Win w,
             MPI_Request* r) {
  note_call("MPI_Rput");
  add_transfer(put, target, m, u, w);
  return PMPI_Rput(b, n, t, target, at, m, u, w, r);
}
int MPI_Accumulate(const void* b, int n, MPI_Datatype t, int target, MPI_Aint at, int m, MPI_Datatype u,
                   MPI_Op o, MPI_Win w) {
  note_call("MPI_Accumulate");
  add_transfer(accumulate, target, m, u, w);
  return PMPI_Accumulate(b, n, t, target, at, m, u, o, w);
}
int MPI_Fetch_and_op(const void* a, void* b, MPI_Datatype t, int target, MPI_Aint at, MPI_Op o, MPI_Win w) {
  note_call("MPI_Fetch_and_op");
  add_transfer(fetch, target, 1, t, w);
  return PMPI_Fetch_and_op(a, b, t, target, at, o, w);
}
int MPI_Compare_and_swap(const void* a, const void* b, void* c, MPI_Datatype t, int target, MPI_Aint at,
                         MPI_Win w) {
  note_call("MPI_Compare_and_swap");
  add_transfer(fetch, target, 1, t, w);
  return PMPI_Compare_and_swap(a, b, c, t, target, at, w);
}

// Those of which only the calls are counted.
#define COUNT(name, parameters, arguments) \
  int name parameters {                    \
    note_call(#name);                      \
    return P##name arguments;              \
  }
#include "counted_functions.h"

int MPI_Finalize(void) {
  int rank, ranks;
  char path[4096];
  note_call("MPI_Finalize");
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int result = PMPI_Finalize();  // which may call functions of the program
  snprintf(path, sizeof path, "%s/%05d", getenv("COUNTER_FOLDER"), rank);
  FILE* out = fopen(path, "w");
  for (int f = 0; f < functions; ++f)
    fprintf(out, "rank %d calls %s %ld\n", rank, names[f], calls[f]);
  for (int kind = 0; kind < kinds; ++kind)
    for (int peer = 0; peer < ranks; ++peer)
      if (messages[kind][peer] > 0)
        fprintf(out, "rank %d %s %d %ld %ld\n", rank, kind_names[kind], peer, messages[kind][peer],
                bytes[kind][peer]);
  fclose(out);
  return result;
}
