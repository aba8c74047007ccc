// SPDX-License-Identifier: MIT
// Entry points of pthread_create and thrd_create, which tell the program's threads from those of MPI. Nothing
// here waits for another thread: threads begin and end while the program forks, loads libraries and handles
// signals.
#include "kernels/recorder/workers.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <threads.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <new>
#include <utility>

#include "kernels/recorder/depth.hpp"
#include "kernels/recorder/looked_up.hpp"
#include "kernels/recorder/of_thread.hpp"
#include "kernels/recorder/recording.hpp"
#include "kernels/recorder/scheduler_file.hpp"

namespace finegrain::recorder {
namespace {

enum class Use { free, begins, alive, is_read, ended };

struct Worker {
  std::atomic<Use> use = Use::free;
  pid_t thread = 0;
  std::optional<SchedulerFile> file;  ///< from the first reading on
  SchedulerTimes counted;             ///< at the last reading
};

/// So many threads are followed at a time, because each takes a descriptor.
constexpr std::size_t most_workers = 64;
using AllWorkers = std::array<Worker, most_workers>;

std::atomic<int> begun = 0;
std::atomic_flag is_reading = {};
std::atomic<std::int64_t> last_reading_ns = 0;  ///< or when the first thread began
/// What those did that have ended since the last reading.
std::atomic<std::int64_t> longest_run_of_ended_ns = 0;
std::atomic<std::int64_t> waited_of_ended_ns = 0;

/// The calling thread's place; null: it is none of them.
constinit thread_local Worker* this_worker __attribute__((tls_model("initial-exec"))) = nullptr;
/// What the thread begins is not the program's.
constinit thread_local bool is_of_mpi __attribute__((tls_model("initial-exec"))) = false;

/// Threads may end after the program's static objects, so they are never destroyed.
AllWorkers& all_workers() {
  static auto& all = *new AllWorkers;
  return all;
}

bool change(Worker& worker, Use from, Use to) {
  return worker.use.compare_exchange_strong(from, to);
}

void release(Worker& worker) {
  worker.file.reset();
  worker.counted = {};
  worker.use = Use::free;
}

void raise_to(std::atomic<std::int64_t>& value, std::int64_t least) {
  std::int64_t known = value.load();
  while (known < least && !value.compare_exchange_weak(known, least)) {
  }
}

void read(Worker& worker, Workers& sum) {
  if (!worker.file) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", worker.thread);
    worker.file.emplace(path);
  }
  const std::optional<SchedulerTimes> now = worker.file->read();
  if (!now) return;
  const SchedulerTimes before = std::exchange(worker.counted, *now);
  sum.longest_run_ns = std::max(sum.longest_run_ns, now->ran_ns - before.ran_ns);
  sum.waited_ns += now->waited_ns - before.waited_ns;
}

void begin_worker() {
  if (begun++ == 0) last_reading_ns = clock_ns();
  for (Worker& worker : all_workers()) {
    if (!change(worker, Use::free, Use::begins)) continue;
    worker.thread = ::gettid();
    this_worker = &worker;
    free_at_threads_end();
    worker.use = Use::alive;
    return;
  }
}

/// What a thread begins with. Result: void* or int, as POSIX or C has it.
template <class Result>
struct Start {
  Result (*function)(void*);
  void* argument;
  bool is_of_mpi;
};

template <class Result>
Result run_worker(void* argument) {
  const Start start = *static_cast<Start<Result>*>(argument);
  delete static_cast<Start<Result>*>(argument);
  is_of_mpi = start.is_of_mpi;
  if (!is_of_mpi) begin_worker();
  return start.function(start.argument);
}

/// @param create  (Result(*)(void*), void*) -> int: begins a thread
/// @returns what that says; no_memory if there is no room for a Start
template <class Result, class Create>
int begin_thread(Result (*function)(void*), void* argument, int success, int no_memory, Create create) {
  const bool is_of_mpis = is_of_mpi || open_calls.depth > 0;
  auto* const start = new (std::nothrow) Start<Result>{function, argument, is_of_mpis};
  if (start == nullptr) return no_memory;
  const int result = create(run_worker<Result>, start);
  if (result != success) delete start;
  return result;
}

/// The C library's. They are looked up early, because a thread may hold the loader's lock later.
struct Next {
  decltype(&::pthread_create) posix =
      reinterpret_cast<decltype(&::pthread_create)>(look_up(RTLD_NEXT, "pthread_create"));
  decltype(&::thrd_create) c = reinterpret_cast<decltype(&::thrd_create)>(look_up(RTLD_NEXT, "thrd_create"));
};
const Next& next_create() {
  static const Next next;
  return next;
}

/// A child has none of them, and may begin its own.
void begin_in_child() {
  for (Worker& worker : all_workers())
    release(worker);
  this_worker = nullptr;
  begun = 0;
  last_reading_ns = 0;
  longest_run_of_ended_ns = 0;
  waited_of_ended_ns = 0;
  is_reading.clear();
}

__attribute__((constructor)) void follow_forks() {
  all_workers();
  next_create();
  ::pthread_atfork(nullptr, nullptr, begin_in_child);
}

}  // namespace

bool has_workers() {
  return begun.load(std::memory_order_relaxed) > (this_worker != nullptr ? 1 : 0);
}

std::optional<Workers> read_workers(std::int64_t since_ns, std::int64_t now_ns) {
  constexpr std::int64_t least_ns = 20'000;  // a thread
  const auto alive = std::ranges::count_if(
      all_workers(), [](const Worker& worker) { return worker.use.load() == Use::alive; });
  // The flag is set in a handler of a signal that came while the thread was reading.
  if (now_ns - since_ns < least_ns * alive || is_reading.test_and_set()) return std::nullopt;
  Workers sum{.since_ns = last_reading_ns.exchange(now_ns),
              .longest_run_ns = longest_run_of_ended_ns.exchange(0),
              .waited_ns = waited_of_ended_ns.exchange(0)};
  for (Worker& worker : all_workers()) {
    if (&worker == this_worker || !change(worker, Use::alive, Use::is_read)) continue;
    read(worker, sum);
    if (!change(worker, Use::is_read, Use::alive)) release(worker);  // it has ended meanwhile
  }
  is_reading.clear();
  return sum;
}

void note_worker_ends() {
  Worker* const own = std::exchange(this_worker, nullptr);
  if (own == nullptr) return;
  constexpr int most_tries = 100;
  for (int tries = 0; !change(*own, Use::alive, Use::ended); ++tries) {
    if (tries == most_tries) {
      // Whoever reads it releases it, or has been left by a signal's handler, and nothing is read any more.
      if (own->use.exchange(Use::ended) == Use::is_read) return;
      break;
    }
    ::sched_yield();
  }
  if (current_recording.load(std::memory_order_relaxed) != nullptr) {
    if (const std::optional<SchedulerTimes> now = SchedulerFile().read()) {
      raise_to(longest_run_of_ended_ns, cpu_time_ns() - own->counted.ran_ns);
      waited_of_ended_ns += now->waited_ns - own->counted.waited_ns;
    }
  }
  release(*own);
}

}  // namespace finegrain::recorder

using namespace finegrain::recorder;

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*function)(void*),
                                                                     void* argument) noexcept {
  return begin_thread(function, argument, 0, EAGAIN, [&](auto* run, void* start) {
    return next_create().posix(thread, attributes, run, start);
  });
}

extern "C" __attribute__((visibility("default"))) int thrd_create(thrd_t* thread, thrd_start_t function,
                                                                  void* argument) {
  return begin_thread(function, argument, thrd_success, thrd_nomem,
                      [&](auto* run, void* start) { return next_create().c(thread, run, start); });
}
