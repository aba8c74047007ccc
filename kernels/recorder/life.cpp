// SPDX-License-Identifier: MIT
// From MPI_Init to the program's end, however that comes.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdarg>

#include "kernels/recorder/call.hpp"
#include "kernels/recorder/program.hpp"

namespace finegrain::recorder {
namespace {

/// The process that records: one that it forks ends on its own, and must not write into its files.
pid_t recording_process = 0;

/// A call that has begun and ended now: what comes after it is the program's.
void record_moment(const Call& call) {
  const Record record(call);
}

void begin(Function function, bool has_threads) {
  thread_number();  // this is the main one
  Recording* const recording = start_recording(has_threads);
  if (recording == nullptr) return;
  recording_process = ::getpid();
  current_recording.store(recording, std::memory_order_release);
  record_moment(Call(function));
}

/// Programs that leave by exit(), or return from main(), without MPI_Finalize.
__attribute__((destructor)) void finish_at_exit() {
  Recording* const recording = current_recording.exchange(nullptr);
  if (recording == nullptr || ::getpid() != recording_process) return;
  if (recording->has_threads && !recording->mutex.try_lock()) return;
  if (recording->polls.count > 0) recording->write_polls();
  recording->recorder.finish();
}

}  // namespace

int recorded::MPI_Init(int* argc, char*** argv) {
  count_call(Function::MPI_Init);
  const int result = real.MPI_Init(argc, argv);
  if (result != MPI_SUCCESS) return result;
  int provided = MPI_THREAD_SINGLE;
  real.MPI_Query_thread(&provided);
  begin(Function::MPI_Init, provided == MPI_THREAD_MULTIPLE);
  return result;
}

int recorded::MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  count_call(Function::MPI_Init_thread);
  const int result = real.MPI_Init_thread(argc, argv, required, provided);
  if (result == MPI_SUCCESS) begin(Function::MPI_Init_thread, *provided == MPI_THREAD_MULTIPLE);
  return result;
}

int recorded::MPI_Finalize() {
  record_moment(Call(Function::MPI_Finalize));
  if (Recording* const recording = current_recording.exchange(nullptr)) finish_recording(*recording);
  return real.MPI_Finalize();
}

int recorded::MPI_Abort(MPI_Comm comm, int code) {
  record_moment(Call(Function::MPI_Abort));
  if (Recording* const recording = current_recording.load()) recording->recorder.flush();
  return real.MPI_Abort(comm, code);
}

/// A mark in the program: whoever stopped recording here would keep sends whose receives are gone.
int recorded::MPI_Pcontrol(const int level, ...) {
  const Call call(Function::MPI_Pcontrol);
  if (Record record(call); record) record.rename(fmt::format("Pcontrol {}", level));
  return real.MPI_Pcontrol(level);
}

}  // namespace finegrain::recorder
