// SPDX-License-Identifier: MIT
#include "kernels/recorder/call.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/recorder/looked_up.hpp"
#include "kernels/recorder/polling.hpp"
#include "kernels/recorder/scheduler_file.hpp"
#include "kernels/recorder/workers.hpp"
#include "kernels/recorder/yields.hpp"
#include "traces/place_of_call.hpp"

namespace finegrain::recorder {
namespace {

/// How long a thread has waited for a core is read after work or calls of this length only, because reading
/// it is a system call, or several where the program has other threads.
constexpr std::int64_t reading_after_ns = 50'000;

/// How long a thread did not run until some time; work since then that is shorter than reading_after_ns is
/// assumed to have had a core.
struct WaitReading {
  std::int64_t at_ns = 0;
  /// It was ready to run, but had no core. None if the kernel does not say, and after other threads' calls.
  std::optional<std::int64_t> waited_ns = {};
  std::int64_t stopped_ns = 0;  ///< for any reason, counted from some time
};
constinit thread_local WaitReading last_reading __attribute__((tls_model("initial-exec"))) = {};
thread_local std::int64_t last_end_ns __attribute__((tls_model("initial-exec"))) = 0;
/// How long the thread did not run in the work before the present call, if that began with a call that found
/// nothing, and if it was read.
constinit thread_local std::int64_t stopped_before_call_ns __attribute__((tls_model("initial-exec"))) = 0;
/// The thread's last recorded call, if that found nothing.
constinit thread_local std::optional<Function> last_poll __attribute__((tls_model("initial-exec"))) = {};
thread_local std::uint32_t this_thread __attribute__((tls_model("initial-exec"))) = ~std::uint32_t{0};
std::atomic<std::uint32_t> threads_seen = 0;
/// How much CPU time the thread had used when its first call began.
constinit thread_local std::int64_t cpu_time_at_first_ns __attribute__((tls_model("initial-exec"))) = 0;
/// When call_now.counted_cpu_time_ns was read.
constinit thread_local std::int64_t counted_at_ns __attribute__((tls_model("initial-exec"))) = 0;
/// What the thread has access to, and how many calls it is in that got it.
constinit thread_local Recording* recording_in_access __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local int depth_of_access __attribute__((tls_model("initial-exec"))) = 0;

constinit thread_local const SchedulerFile* scheduler_file __attribute__((tls_model("initial-exec"))) =
    nullptr;

std::optional<std::int64_t> own_waited_ns() {
  if (scheduler_file == nullptr) {
    free_at_threads_end();
    scheduler_file = new SchedulerFile;
  }
  const std::optional<SchedulerTimes> times = scheduler_file->read();
  return times ? std::optional(times->waited_ns) : std::nullopt;
}

WaitReading read_waited(std::int64_t now_ns) {
  const Recording* const recording = current_recording.load(std::memory_order_relaxed);
  const bool may_have_several = recording != nullptr && recording->may_have_several_callers;
  const bool tells = !may_have_several || !have_several_called();
  return {.at_ns = now_ns,
          .waited_ns = tells ? own_waited_ns() : std::nullopt,
          .stopped_ns = now_ns - cpu_time_ns()};
}

/// @returns null if one of the readings did not tell
std::optional<std::int64_t> between(std::optional<std::int64_t> from_ns, std::optional<std::int64_t> to_ns) {
  return from_ns && to_ns ? std::optional(*to_ns - *from_ns) : std::nullopt;
}

/// How long this thread waited for a core between two readings. A thread that sleeps, reads a file or waits
/// for others does not wait for a core. All time in which it did not run counts only if the kernel does not
/// tell the two apart (CONFIG_SCHED_INFO), and where several threads have called MPI: there one that sleeps
/// may wait for another's call. The second thread may have made its first call between the two readings, as
/// when this thread has started it and waited for its end.
std::int64_t lost_between(const WaitReading& before, const WaitReading& after) {
  const std::int64_t stopped_ns = after.stopped_ns - before.stopped_ns;
  return have_several_called() ? stopped_ns : between(before.waited_ns, after.waited_ns).value_or(stopped_ns);
}

/// The same, with the time for which this thread slept because other threads of the program, for which it may
/// have waited, had no core. These work at the same time or one after the other: together they were held up
/// by as much as all of them waited at most. Whoever waited for a core meanwhile, the rank worked at least
/// for as long as the one that ran the longest.
std::int64_t lost_with_workers_between(const WaitReading& before, const WaitReading& after) {
  const std::int64_t own_ns = lost_between(before, after);
  if (have_several_called() || !has_workers()) return own_ns;
  const std::optional<Workers> workers = read_workers(before.at_ns, after.at_ns);
  const std::int64_t time_ns = after.at_ns - before.at_ns;
  // What they did long before is not of this time.
  if (!workers || before.at_ns - workers->since_ns > time_ns) return own_ns;
  const std::int64_t slept_ns = std::max<std::int64_t>(after.stopped_ns - before.stopped_ns - own_ns, 0);
  const std::int64_t left_ns = after.at_ns - workers->since_ns - workers->longest_run_ns;
  return std::min(own_ns + std::min(slept_ns, workers->waited_ns), left_ns);
}

/// @returns whether it is not the main thread, and calls MPI as others do
bool is_another_caller(const Recording& recording) {
  return recording.may_have_several_callers && thread_number() != 0;
}

/// Nobody knows when a thread began, before its first call. It counts as if it had worked just before it.
void note_thread_begins(Recording& recording, std::int64_t first_call_ns) {
  if (last_end_ns != 0 || !is_another_caller(recording)) return;
  const std::int64_t began_ns = std::max(first_call_ns - cpu_time_at_first_ns, recording.began_ns);
  recording.add_moment_of_thread(thread_begins, thread_number(), began_ns, 0);
}

/// A call in which a thread ends is not in the trace, and its wait there is no work.
void note_thread_ends() {
  if (last_end_ns == 0 || open_calls.depth > 0) return;
  const Access access;
  if (!access || !is_another_caller(access.recording())) return;
  const WaitReading now = read_waited(clock_ns());
  const std::int64_t lost_ns =
      std::clamp<std::int64_t>(lost_between(last_reading, now), 0, now.at_ns - last_end_ns);
  access.recording().add_moment_of_thread(thread_ends, thread_number(), now.at_ns, lost_ns);
  access.recording().counted_cpu_time_ns += cpu_time_ns();
}

void end_thread(void* /*value*/) {
  note_thread_ends();
  note_left_at_threads_end();
  unlist_call_of_thread();
  note_worker_ends();
  delete std::exchange(scheduler_file, nullptr);
  SpareVector<MPI_Request>::free_spare();
  SpareVector<MPI_Status>::free_spare();
}

/// What the recorder has done for the call until now is the call's, not the work's after it: with the cold
/// caches of a core that others have used, that is longer than short work. After a long call, how long the
/// thread has waited for a core is read as well. If it lost its core meanwhile, it reads again, because
/// nobody knows whether the reading has that wait.
/// @returns when the work after the call begins
std::int64_t read_end(std::int64_t start_ns) {
  constexpr std::int64_t longest_reading_ns = 20'000;
  constexpr int most_readings = 3;
  std::int64_t end_ns = clock_ns();
  if (last_end_ns != 0 && end_ns - start_ns < reading_after_ns) return end_ns;
  if (has_workers()) {
    read_workers(start_ns, end_ns);  // the next reading tells what they do from now on
    end_ns = clock_ns();
  }
  for (int reading = 0; reading < most_readings; ++reading) {
    last_reading = read_waited(end_ns);
    const std::int64_t before_ns = std::exchange(end_ns, clock_ns());
    if (end_ns - before_ns < longest_reading_ns) break;
  }
  return end_ns;
}

void* find(void* where, const char* name) {
  if (void* const found = look_up(where, name)) return found;
  // A program may load MPI later and for itself alone, as Python does.
  for (const char* library : {"libmpi.so.40", "libmpi.so.12", "libmpich.so.12"}) {
    if (void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) {
      if (void* const found = look_up(handle, name)) return found;
    }
  }
  return nullptr;
}

/// By name. A library of the program may call MPI before this one is constructed, and after it is destroyed.
std::map<std::string_view, void*>& objects() {
  static auto& all = *new std::map<std::string_view, void*>;
  return all;
}

}  // namespace

std::atomic<Recording*> current_recording = nullptr;
std::atomic<bool> is_finalizing = false;
constinit Polling polling = {};
std::atomic<std::uint64_t> call_counts[function_count] = {};
std::atomic<std::uint64_t> left_counts[function_count] = {};

Access::Access() : recording_(current_recording.load(std::memory_order_acquire)) {
  if (recording_ == nullptr) return;
  if (recording_in_access != nullptr) {
    recording_ = nullptr;
    return;
  }
  if (recording_->is_locked) {
    recording_->mutex.lock();
    // It may have ended meanwhile.
    if (current_recording.load(std::memory_order_acquire) != recording_) {
      recording_->mutex.unlock();
      recording_ = nullptr;
      return;
    }
  }
  recording_in_access = recording_;
  depth_of_access = open_calls.depth;
  if (recording_->is_locked) return;
  // A signal's handler that records would leave the gate, so it finds that this thread has access.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  recording_->gate.enter();
}

Access::~Access() {
  if (recording_ == nullptr) return;
  if (!recording_->is_locked) {
    recording_->gate.leave();
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  recording_in_access = nullptr;
  if (recording_->is_locked) recording_->mutex.unlock();
}

void Access::note_left_call(int depth) {
  if (recording_in_access == nullptr || depth_of_access < depth + 1) return;
  Recording* const recording = std::exchange(recording_in_access, nullptr);
  current_recording = nullptr;
  recording->recorder.stop("the program left a call of MPI while it was being recorded");
  if (recording->is_locked) {
    recording->mutex.unlock();
  } else {
    recording->gate.leave();
  }
}

void* find_function(const char* name) {
  return find(RTLD_NEXT, name);
}

void* find_object(const char* name) {
  return find(RTLD_DEFAULT, name);
}

void bind_object(const char* name) {
  objects().emplace(name, find_object(name));
}

void* bound_object(std::string_view name) {
  const auto known = objects().find(name);
  return known == objects().end() ? nullptr : known->second;
}

void free_at_threads_end() {
  static pthread_key_t key;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ::pthread_once(&once, [] { ::pthread_key_create(&key, end_thread); });
  ::pthread_setspecific(key, &key);  // the function is called for values that are not null
}

std::uint32_t thread_number() {
  if (this_thread == ~std::uint32_t{0}) this_thread = threads_seen++;
  return this_thread;
}

bool have_several_called() {
  return threads_seen.load(std::memory_order_relaxed) > 1;
}

/// @returns how long the thread, or others of the program for it, waited for a core during the work before
/// this call, if that took long; else 0
std::int64_t Call::read_lost_ns() const {
  const std::int64_t gap_ns = start_ns_ - last_end_ns;
  if (gap_ns < reading_after_ns || current_recording.load(std::memory_order_relaxed) == nullptr) return 0;
  if (last_end_ns == 0) {  // the thread's first call, in which it may end
    cpu_time_at_first_ns = cpu_time_ns();
    free_at_threads_end();
    list_call_of_thread();
    return 0;
  }
  const WaitReading before = std::exchange(last_reading, read_waited(start_ns_));
  if (last_poll) {
    // A call that is not recorded may have stood between, and read as well.
    stopped_before_call_ns = std::clamp<std::int64_t>(
        stopped_before_call_ns + last_reading.stopped_ns - before.stopped_ns, 0, gap_ns);
  }
  const std::int64_t lost_ns =
      std::clamp<std::int64_t>(lost_with_workers_between(before, last_reading), 0, gap_ns);
  if (Recording* const recording = current_recording.load(std::memory_order_relaxed))
    recording->slept_for_workers_ns +=
        std::max<std::int64_t>(lost_ns - lost_between(before, last_reading), 0);
  return lost_ns;
}

namespace {

/// A thread that polls and sleeps, or waits for a file or another thread, until it polls again does no work.
/// @param start_ns  of the call, or of its part after calls inside it
/// @returns the part of the time before it that is none
std::int64_t with_sleep(Recording& recording, std::int64_t lost_ns, std::int64_t start_ns) {
  const std::int64_t gap_ns = std::max<std::int64_t>(start_ns - last_end_ns, 0);
  const std::int64_t slept_ns = std::min(stopped_before_call_ns, gap_ns);
  // Where several threads call, lost_ns is all time in which this one did not run.
  recording.slept_between_tests_ns +=
      have_several_called() ? slept_ns : std::max<std::int64_t>(slept_ns - lost_ns, 0);
  return std::min(std::max(lost_ns, slept_ns), gap_ns);
}

/// Whether the thread has polled since its last other call, also by this function: a program may look for
/// several things in turn.
bool has_polled_with(const Recording& recording, Function function) {
  if (!last_poll) return false;
  const Polls& polls = recording.polls;
  return last_poll == function ||
         (polls.thread == thread_number() &&
          std::ranges::find(polls.counts, function, &Polls::Count::function) != polls.counts.end());
}

/// The work after the call begins.
void end_call(std::int64_t end_ns, std::optional<Function> poll) {
  last_end_ns = end_ns;
  last_poll = poll;
  stopped_before_call_ns = 0;
  yielded_ns = 0;
}

/// Reading CPU time is a system call, so it is read seldom.
void count_cpu_time(const Recording& recording) {
  constexpr std::int64_t every_ns = 1'000'000;
  if (!is_another_caller(recording) || last_end_ns - counted_at_ns < every_ns) return;
  counted_at_ns = last_end_ns;
  call_now.counted_cpu_time_ns.store(cpu_time_ns(), std::memory_order_relaxed);
}

}  // namespace

Record::Record(const Call& call) {
  if (!access_) {
    say_not_recorded(call.function());
    return;
  }
  // After calls inside this one, its part after them is left.
  const bool is_whole = last_end_ns <= call.start_ns();
  start_ns_ = is_whole ? call.start_ns() : last_end_ns;
  lost_ns_ = is_whole ? call.lost_ns() : 0;
  Recording& recording = access_.recording();
  if (has_polled_with(recording, call.function())) lost_ns_ = with_sleep(recording, lost_ns_, start_ns_);
  note_thread_begins(recording, start_ns_);
  if (!recording.polls.counts.empty()) recording.write_polls();
  polling.since_ns = 0;
  begin(recording.number_of(call.function()));
}

Record::~Record() {
  if (!access_) return;
  if (lost_ns_ > 0) recording().recorder.waited_for_core(lost_ns_);
  const std::int64_t end_ns = read_end(start_ns_);
  recording().recorder.call(signature(), start_ns_, end_ns);
  end_call(end_ns, std::nullopt);
  count_cpu_time(recording());
  if (!is_in_inner_call()) call_now.end();
}

void Record::begin(std::uint32_t function) {
  signature().begin(function);
  const std::uint32_t thread = thread_number();
  if (thread != 0) signature().thread(thread);
  if (const std::optional<std::uint32_t> place = recording().call_sites.of_open_call(thread))
    signature().place(*place);
}

void Record::rename(std::string_view name) {
  // A reader has room for 65,535 names of all kinds and all ranks.
  constexpr std::size_t most_names = 4'096;
  auto& names = recording().names;
  auto known = names.find(std::string(name));
  if (known == names.end()) {
    if (names.size() >= most_names) name = "Pcontrol (other levels)";
    known = names.try_emplace(std::string(name), recording().recorder.define_function(name)).first;
  }
  begin(known->second);
}

std::int64_t Record::post(const Post& post) {
  signature().post(post);
  return makes_request(post) ? recording().requests_made++ : Pending::none;
}

std::int64_t Record::collective(const Collective& collective, std::span<const std::int64_t> sizes) {
  signature().collective(collective, sizes);
  return collective.blocking ? Pending::none : recording().requests_made++;
}

void Record::complete(std::span<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t after = first + 1;
    while (after < numbers.size() && numbers[after] == numbers[after - 1] + 1)
      ++after;
    signature().complete(age(numbers[first]), static_cast<std::int64_t>(after - first));
    first = after;
  }
}

void record_poll(const Call& call, std::int64_t end_ns, const Access& access, bool is_outside) {
  note_thread_begins(access.recording(), call.start_ns());
  const std::int64_t start_ns = std::max(call.start_ns(), last_end_ns);
  // Until a process outside the run answers, time passes also while this one sleeps.
  const std::int64_t lost_ns =
      last_poll && !is_outside ? with_sleep(access.recording(), call.lost_ns(), start_ns) : call.lost_ns();
  access.recording().add_poll(call.function(), thread_number(), start_ns, end_ns, lost_ns,
                              std::max(yielded_ns, stopped_before_call_ns), is_outside);
  if (polling.since_ns == 0) polling = {.since_ns = call.start_ns()};
  polling.last_ns = end_ns;
  ++polling.calls;
  polling.function = call.function();
  polling.caller = call_now.caller.load(std::memory_order_relaxed);
  end_call(end_ns, call.function());
  count_cpu_time(access.recording());
  if (!is_in_inner_call()) call_now.end();
  if (!last_reading.stopped_ns || end_ns - last_reading.at_ns >= reading_after_ns)
    last_reading = read_waited(end_ns);
  // What the recorder has done until now is no work of the program.
  last_end_ns = clock_ns();
  access.recording().polls.end_ns = last_end_ns;
}

}  // namespace finegrain::recorder
