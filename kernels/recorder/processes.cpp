// SPDX-License-Identifier: MIT
// Functions that reach processes outside the run: the trace has no place for what is exchanged with them, so
// only their time is recorded.
#include <fmt/core.h>

#include <cstdio>
#include <string_view>
#include <utility>

#include "kernels/recorder/call.hpp"

namespace finegrain::recorder {
namespace {

void say_outside(Function function, int root, MPI_Comm comm) {
  static bool said[function_count] = {};
  int rank = 0;
  real.MPI_Comm_rank(comm, &rank);
  if (rank != root || current_recording == nullptr) return;
  if (std::exchange(said[static_cast<std::size_t>(function)], true)) return;
  fmt::print(stderr,
             "finegrain: {}: what is exchanged with processes outside MPI_COMM_WORLD is not recorded, only "
             "its time\n",
             function_names[static_cast<std::size_t>(function)]);
}

}  // namespace

void say_not_recorded(Function function) {
  const Recording* const recording = current_recording.load();
  if (recording == nullptr || recording->rank != 0) return;
  static std::atomic<bool> said[function_count] = {};
  if (said[static_cast<std::size_t>(function)].exchange(true)) return;
  fmt::print(stderr, "finegrain: {}: what it communicates is not recorded\n",
             function_names[static_cast<std::size_t>(function)]);
}

namespace {

/// Records a call that has made a communicator with processes which may be outside the run.
/// @param how  as Communicators::made() takes it
/// @param comm  the ranks that made it together; null if only this one did
void record_made_outside(const Call& call, int result, std::string_view how, MPI_Comm comm,
                         const MPI_Comm* made) {
  Record record(call);
  if (!record) return;
  record.signature().timed();
  if (result != MPI_SUCCESS) return;
  Communicators& communicators = record.recording().communicators;
  const CommunicatorPtr parent = comm == MPI_COMM_NULL ? nullptr : communicators.of(comm);
  communicators.made(*made, how, parent.get());
}

/// How a communicator was made that joins two groups by a port: ranks of the run may be in both.
constexpr const char* by_port = "port";

}  // namespace

int recorded::MPI_Comm_spawn(const char* command, char* arguments[], int processes, MPI_Info info, int root,
                             MPI_Comm comm, MPI_Comm* made, int errors[]) {
  const Call call(Function::MPI_Comm_spawn);
  say_outside(Function::MPI_Comm_spawn, root, comm);
  const int result = real.MPI_Comm_spawn(command, arguments, processes, info, root, comm, made, errors);
  record_made_outside(call, result, "MPI_Comm_spawn", comm, made);
  return result;
}

int recorded::MPI_Comm_spawn_multiple(int count, char* commands[], char** arguments[], const int processes[],
                                      const MPI_Info infos[], int root, MPI_Comm comm, MPI_Comm* made,
                                      int errors[]) {
  const Call call(Function::MPI_Comm_spawn_multiple);
  say_outside(Function::MPI_Comm_spawn_multiple, root, comm);
  const int result =
      real.MPI_Comm_spawn_multiple(count, commands, arguments, processes, infos, root, comm, made, errors);
  record_made_outside(call, result, "MPI_Comm_spawn", comm, made);
  return result;
}

int recorded::MPI_Comm_connect(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* made) {
  const Call call(Function::MPI_Comm_connect);
  say_outside(Function::MPI_Comm_connect, root, comm);
  const int result = real.MPI_Comm_connect(port, info, root, comm, made);
  record_made_outside(call, result, by_port, MPI_COMM_NULL, made);
  return result;
}

int recorded::MPI_Comm_accept(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* made) {
  const Call call(Function::MPI_Comm_accept);
  say_outside(Function::MPI_Comm_accept, root, comm);
  const int result = real.MPI_Comm_accept(port, info, root, comm, made);
  record_made_outside(call, result, by_port, MPI_COMM_NULL, made);
  return result;
}

int recorded::MPI_Comm_join(int socket, MPI_Comm* made) {
  const Call call(Function::MPI_Comm_join);
  say_outside(Function::MPI_Comm_join, 0, MPI_COMM_SELF);
  const int result = real.MPI_Comm_join(socket, made);
  record_made_outside(call, result, by_port, MPI_COMM_NULL, made);
  return result;
}

}  // namespace finegrain::recorder
