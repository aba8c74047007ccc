// SPDX-License-Identifier: MIT
// Preloaded into a kernel, counts the messages it posts, knowing nothing of it or of its trace: doubles
// between two ranks, however they are sent, and all one-sided transfers, through MPI's profiling interface.
// At MPI_Finalize each rank writes "kind peer bytes count" lines to $MESSAGE_COUNTS/<rank>.
#include <mpi.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <tuple>

namespace {

using Key = std::tuple<std::string, int, long long>;
std::map<Key, long long> counts;

void count_transfer(const char* kind, int peer, int values, MPI_Datatype type) {
  int value_bytes = 0;
  PMPI_Type_size(type, &value_bytes);
  ++counts[{kind, peer, static_cast<long long>(values) * value_bytes}];
}

void count(const char* kind, int peer, int values, MPI_Datatype type) {
  if (type == MPI_DOUBLE) count_transfer(kind, peer, values, type);  // clocks are compared with integers
}

}  // namespace

extern "C" {

int MPI_Isend(const void* data, int values, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  count("send", peer, values, type);
  return PMPI_Isend(data, values, type, peer, tag, comm, request);
}

int MPI_Irecv(void* data, int values, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  count("receive", peer, values, type);
  return PMPI_Irecv(data, values, type, peer, tag, comm, request);
}

int MPI_Send(const void* data, int values, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  count("send", peer, values, type);
  return PMPI_Send(data, values, type, peer, tag, comm);
}

int MPI_Recv(void* data, int values, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
             MPI_Status* status) {
  count("receive", peer, values, type);
  return PMPI_Recv(data, values, type, peer, tag, comm, status);
}

int MPI_Sendrecv(const void* out, int values_out, MPI_Datatype type_out, int to, int tag_out, void* in,
                 int values_in, MPI_Datatype type_in, int from, int tag_in, MPI_Comm comm,
                 MPI_Status* status) {
  count("send", to, values_out, type_out);
  count("receive", from, values_in, type_in);
  return PMPI_Sendrecv(out, values_out, type_out, to, tag_out, in, values_in, type_in, from, tag_in, comm,
                       status);
}

int MPI_Put(const void* data, int values, MPI_Datatype type, int peer, MPI_Aint offset, int values_there,
            MPI_Datatype type_there, MPI_Win window) {
  count_transfer("put", peer, values, type);
  return PMPI_Put(data, values, type, peer, offset, values_there, type_there, window);
}

int MPI_Get(void* data, int values, MPI_Datatype type, int peer, MPI_Aint offset, int values_there,
            MPI_Datatype type_there, MPI_Win window) {
  count_transfer("get", peer, values, type);
  return PMPI_Get(data, values, type, peer, offset, values_there, type_there, window);
}

int MPI_Rput(const void* data, int values, MPI_Datatype type, int peer, MPI_Aint offset, int values_there,
             MPI_Datatype type_there, MPI_Win window, MPI_Request* request) {
  count_transfer("put", peer, values, type);
  return PMPI_Rput(data, values, type, peer, offset, values_there, type_there, window, request);
}

int MPI_Rget(void* data, int values, MPI_Datatype type, int peer, MPI_Aint offset, int values_there,
             MPI_Datatype type_there, MPI_Win window, MPI_Request* request) {
  count_transfer("get", peer, values, type);
  return PMPI_Rget(data, values, type, peer, offset, values_there, type_there, window, request);
}

int MPI_Finalize() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (const char* folder = std::getenv("MESSAGE_COUNTS")) {
    std::ofstream file(std::string(folder) + "/" + std::to_string(rank));
    for (const auto& [key, times] : counts) {
      const auto& [kind, peer, bytes] = key;
      file << kind << ' ' << peer << ' ' << bytes << ' ' << times << '\n';
    }
  }
  return PMPI_Finalize();
}

}  // extern "C"
