// SPDX-License-Identifier: MIT
#include "kernels/recorder/flusher.hpp"

#include <pthread.h>
#include <signal.h>

#include <ctime>

#include "kernels/recorder/call_now.hpp"
#include "kernels/recorder/polling.hpp"
#include "kernels/recorder/recording.hpp"

namespace finegrain::recorder {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t look_every_ns = 250 * ms;
constexpr std::int64_t again_after_ns = ms;  ///< if the program was just recording
/// With the time between two looks and that of writing, all is in the file within two seconds.
constexpr std::int64_t flush_after_ns = 1'250 * ms;
constexpr std::int64_t long_call_ns = 1'000 * ms;
/// A thread that polls was in such a call just now.
constexpr std::int64_t longest_pause_ns = 500 * ms;

void sleep(std::int64_t time_ns) {
  const timespec pause{0, time_ns};
  ::nanosleep(&pause, nullptr);
}

/// What the file says about where the rank is.
struct Noted {
  CallInProgress call;
  std::uint64_t chunks = 0;  ///< that were in the file then
};

bool is_same(const CallInProgress& one, const CallInProgress& other) {
  return one.function == other.function && one.since_ns == other.since_ns;
}

/// The call in which a thread has been the longest; no function: none long enough.
CallInProgress find_open_call(const CallSites& call_sites, std::int64_t now_ns) {
  CallInProgress open;
  if (const auto [function, caller, start_ns] = longest_call();
      start_ns != 0 && now_ns - start_ns >= long_call_ns)
    open = {function_names[static_cast<std::size_t>(function)], start_ns, 0, call_sites.frame_of(caller)};
  const bool polls_now = polling.since_ns != 0 && now_ns - polling.since_ns >= long_call_ns &&
                         now_ns - polling.last_ns <= longest_pause_ns;
  if (!polls_now || (!open.function.empty() && open.since_ns <= polling.since_ns)) return open;
  return {function_names[static_cast<std::size_t>(polling.function)], polling.since_ns, polling.calls,
          call_sites.frame_of(polling.caller)};
}

void write_what_is_due(Recording& recording, Noted& noted) {
  const std::int64_t now_ns = clock_ns();
  CallInProgress open = find_open_call(recording.call_sites, now_ns);
  CallRecorder& recorder = recording.recorder;
  recorder.flush_older_than(now_ns - flush_after_ns);
  if (open.function.empty() || (is_same(open, noted.call) && recorder.chunks() == noted.chunks)) return;
  recorder.flush();  // the note comes last
  recorder.note_open_call(open);
  noted = {std::move(open), recorder.chunks()};
}

/// Whether the program was kept out of the recording.
bool keep_out(Recording& recording) {
  return recording.is_locked ? recording.mutex.try_lock() : recording.gate.close();
}

void let_in(Recording& recording) {
  if (recording.is_locked) {
    recording.mutex.unlock();
  } else {
    recording.gate.open();
  }
}

void* flush_until_end(void* argument) {
  Recording& recording = *static_cast<Recording*>(argument);
  ::pthread_setname_np(::pthread_self(), "finegrain");
  Noted noted;
  while (current_recording.load() == &recording) {
    sleep(look_every_ns);
    while (!keep_out(recording))
      sleep(again_after_ns);
    if (current_recording.load() == &recording) write_what_is_due(recording, noted);
    let_in(recording);
  }
  return nullptr;
}

}  // namespace

void start_flushing(Recording& recording) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  ::pthread_create(&thread, &attributes, flush_until_end, &recording);
  ::pthread_attr_destroy(&attributes);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace finegrain::recorder
