// SPDX-License-Identifier: MIT
// The beginning and the end of a recording: from MPI_Init, or from the first communicator of all ranks that
// is made from a session's group, to the program's end, however that comes.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdarg>

#include "kernels/recorder/call.hpp"
#include "kernels/recorder/flusher.hpp"
#include "kernels/recorder/layout.hpp"
#include "kernels/recorder/other_mpi.hpp"
#include "kernels/recorder/priority.hpp"
#include "kernels/recorder/program.hpp"

namespace finegrain::recorder {
namespace {

/// The recording, until finish_together(), in which this rank takes part even if it has stopped recording.
std::atomic<Recording*> open_recording = nullptr;
/// The process that records: a process that it forks must not write into its files when it ends.
pid_t recording_process = 0;

/// Records a call that begins and ends now, so that the time after it counts as the program's.
void record_moment(const Call& call) {
  const Record record(call);
}

std::atomic<bool> has_begun = false;
/// Whether this is the first of the ranks that have a recorder, where others have none.
bool leads_partial_run = false;

bool is_spawned() {
  MPI_Comm parent;
  real.MPI_Comm_get_parent(&parent);
  return parent != MPI_COMM_NULL;
}

/// Collective, among ranks that all have a recorder.
/// @param all_ranks  a communicator of the program
Recording* begin_together(MPI_Comm all_ranks, bool has_threads) {
  // A message that the program never receives, or its receive of anything, must not meet the recorder's own.
  MPI_Comm world;
  if (real.MPI_Comm_dup(all_ranks, &world) != MPI_SUCCESS) return nullptr;
  real.MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);  // only the program decides what it dies of
  // The trace's communicator of all ranks is the program's MPI_COMM_WORLD. Within sessions it has no name.
  MPI_Comm const handle = all_ranks == MPI_COMM_WORLD ? MPI_COMM_WORLD : world;
  Recording* const recording = start_recording(world, handle, has_threads);
  if (recording == nullptr) real.MPI_Comm_free(&world);
  return recording;
}

/// @param all_ranks  a communicator of the program
void begin(Function function, MPI_Comm all_ranks, bool has_threads) {
  thread_number();  // this thread is the main one
  const int rank = rank_in(all_ranks);
  int ranks = 1;
  real.MPI_Comm_size(all_ranks, &ranks);
  const RollCall roll = call_roll(rank, ranks);
  if (!roll.has(rank)) return;
  Recording* recording = nullptr;
  if (roll.is_complete(ranks)) {
    recording = begin_together(all_ranks, has_threads);
    if (rank == 0) end_roll_call(ranks);
  } else {
    recording = start_partial_recording(roll, all_ranks, all_ranks, has_threads);
    leads_partial_run = rank == roll.present.front();
  }
  if (recording == nullptr) return;
  recording_process = ::getpid();
  open_recording = recording;
  current_recording.store(recording, std::memory_order_release);
  record_moment(Call(function));
  start_flushing(*recording);
}

/// Collective, unless the recording is partial, while MPI can still be called: all but the end of each rank's
/// file, because functions of the program that MPI_Finalize calls may call MPI.
void finish_together() {
  Recording* const recording = open_recording.exchange(nullptr);
  if (recording == nullptr) return;
  note_left_around_last();
  complete_manifest(*recording);
  MPI_Comm world = recording->world;
  if (!recording->is_partial) real.MPI_Comm_free(&world);
}

/// Before the MPI library begins.
void prepare_to_begin() {
  if (has_begun) return;
  announce_early();
  lower_priority_if_asked();
}

void begin_at_init(Function function, bool has_threads) {
  // In this order, because handles of another MPI mean nothing.
  if (has_begun.exchange(true)) return;
  if (!is_for_this_mpi() || is_spawned()) return withdraw();
  begin(function, MPI_COMM_WORLD, has_threads);
}

/// Keeps the thread that flushes away from the recording, and those that record in it.
/// @returns false if another thread does not give it up
bool take_for_good(Recording& recording) {
  if (!recording.is_locked) {
    recording.gate.enter();
    return true;
  }
  for (int tries = 0; !recording.mutex.try_lock(); ++tries) {
    if (tries == 1000) return false;
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return true;
}

/// Ends this rank's file, also of programs that leave by exit(), or return from main(), without MPI_Finalize.
void finish(void* /*argument*/) {
  Recording* const recording = current_recording.exchange(nullptr);
  if (recording == nullptr || ::getpid() != recording_process) return;
  if (!take_for_good(*recording)) return;
  if (!recording->polls.counts.empty()) recording->write_polls();
  finish_file(*recording);
  // Threads that wait for it go on without recording.
  if (recording->is_locked) recording->mutex.unlock();
  if (leads_partial_run) end_roll_call(recording->ranks);
}

}  // namespace
}  // namespace finegrain::recorder

/// Source: Itanium C++ ABI, section 3.3.6.3. @param library  none: called after all libraries are destroyed
extern "C" int __cxa_atexit(void (*function)(void*), void* argument, void* library) noexcept;

namespace finegrain::recorder {
namespace {

/// Libraries of the program are destroyed after this one, and may call MPI and finalize it then. If one of
/// them ends the process, what was recorded so far is there.
__attribute__((destructor)) void finish_after_libraries() {
  Recording* const recording = current_recording.load();
  if (recording == nullptr || ::getpid() != recording_process) return;
  if (!recording->has_threads) {
    if (const Access access; access) recording->recorder.flush();
  }
  if (__cxa_atexit(finish, nullptr, nullptr) != 0) finish(nullptr);
}

}  // namespace

int recorded::MPI_Init(int* argc, char*** argv) {
  count_call(Function::MPI_Init);
  prepare_to_begin();
  const int result = real.MPI_Init(argc, argv);
  if (result != MPI_SUCCESS) return result;
  int provided = MPI_THREAD_SINGLE;
  real.MPI_Query_thread(&provided);
  begin_at_init(Function::MPI_Init, provided == MPI_THREAD_MULTIPLE);
  return result;
}

int recorded::MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  count_call(Function::MPI_Init_thread);
  prepare_to_begin();
  const int result = real.MPI_Init_thread(argc, argv, required, provided);
  if (result == MPI_SUCCESS) begin_at_init(Function::MPI_Init_thread, *provided == MPI_THREAD_MULTIPLE);
  return result;
}

int recorded::MPI_Finalize() {
  record_moment(Call(Function::MPI_Finalize));
  call_now.begin(Function::MPI_Finalize, nullptr, clock_ns());
  finish_together();
  is_finalizing = true;
  const int result = real.MPI_Finalize();
  finish(nullptr);
  return result;
}

int recorded::MPI_Abort(MPI_Comm comm, int code) {
  record_moment(Call(Function::MPI_Abort));
  if (const Access access; access) access.recording().recorder.flush();
  return real.MPI_Abort(comm, code);
}

/// Records a mark in the program. MPI_Pcontrol does not stop the recording, because sends would then be kept
/// whose receives are missing.
int recorded::MPI_Pcontrol(const int level, ...) {
  const Call call(Function::MPI_Pcontrol);
  if (Record record(call); record) record.rename(fmt::format("Pcontrol {}", level));
  return real.MPI_Pcontrol(level);
}

#ifdef FINEGRAIN_HAS_MPI_Session_init
namespace {

std::atomic<int> open_sessions = 0;
std::atomic<int> ranks_of_world = 0;
std::atomic<bool> is_first_rank = false;
std::atomic<bool> has_begun_in_session = false;

void look_at_world(MPI_Session session) {
  MPI_Group world;
  if (real.MPI_Group_from_session_pset(session, "mpi://WORLD", &world) != MPI_SUCCESS) return;
  int ranks = 0;
  int rank = 0;
  real.MPI_Group_size(world, &ranks);
  real.MPI_Group_rank(world, &rank);
  real.MPI_Group_free(&world);
  ranks_of_world = ranks;
  is_first_rank = rank == 0;
}

/// Without MPI_Init, the first call that all ranks make together is the one that makes a communicator of
/// them.
/// @returns whether recording has begun
bool begin_in_session(MPI_Group group, MPI_Comm made) {
  int ranks = 0;
  real.MPI_Group_size(group, &ranks);
  if (ranks != ranks_of_world || has_begun.exchange(true)) return false;
  int threads = MPI_THREAD_SINGLE;
  real.MPI_Query_thread(&threads);
  has_begun_in_session = true;
  begin(Function::MPI_Session_init, made, threads == MPI_THREAD_MULTIPLE);
  return current_recording.load() != nullptr;
}

void record_made_of_groups(const Call& call, int result, const char* tag, const MPI_Comm* made) {
  Record record(call);
  if (!record || result != MPI_SUCCESS || *made == MPI_COMM_NULL) return;
  Communicators& communicators = record.recording().communicators;
  communicators.made(*made, tag, nullptr);
  const Communicator& communicator = *communicators.of(*made);
  if (communicator.is_in_run()) record.collective({.communicator = communicator.number});
}

}  // namespace

int recorded::MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  const TimedCall timed(Function::MPI_Session_init);
  lower_priority_if_asked();
  const int result = real.MPI_Session_init(info, handler, session);
  if (result != MPI_SUCCESS) return result;
  ++open_sessions;
  if (ranks_of_world == 0) look_at_world(*session);
  return result;
}

int recorded::MPI_Comm_create_from_group(MPI_Group group, const char* tag, MPI_Info info,
                                         MPI_Errhandler handler, MPI_Comm* made) {
  const Call call(Function::MPI_Comm_create_from_group);
  const int result = real.MPI_Comm_create_from_group(group, tag, info, handler, made);
  // A call that began before the recording gets no time.
  const bool begins = result == MPI_SUCCESS && !has_begun && begin_in_session(group, *made);
  record_made_of_groups(begins ? Call(Function::MPI_Comm_create_from_group) : call, result, tag, made);
  return result;
}

int recorded::MPI_Intercomm_create_from_groups(MPI_Group group, int leader, MPI_Group others,
                                               int leader_of_others, const char* tag, MPI_Info info,
                                               MPI_Errhandler handler, MPI_Comm* made) {
  const Call call(Function::MPI_Intercomm_create_from_groups);
  const int result = real.MPI_Intercomm_create_from_groups(group, leader, others, leader_of_others, tag, info,
                                                           handler, made);
  record_made_of_groups(call, result, tag, made);
  return result;
}

int recorded::MPI_Session_finalize(MPI_Session* session) {
  record_moment(Call(Function::MPI_Session_finalize));
  const bool is_last = --open_sessions == 0;
  if (is_last && !has_begun && is_first_rank)
    fmt::print(
        stderr,
        "finegrain: no communicator of all ranks was made of a session's group, so nothing is recorded\n");
  const bool ends_recording = is_last && has_begun_in_session.exchange(false);
  if (ends_recording) {
    finish_together();
    is_finalizing = true;
  }
  const int result = real.MPI_Session_finalize(session);
  if (ends_recording) finish(nullptr);
  return result;
}
#endif

}  // namespace finegrain::recorder
