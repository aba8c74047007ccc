// SPDX-License-Identifier: MIT
// An entry point of pthread_create, which tells the program's threads from those of MPI.
#include "kernels/recorder/workers.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "kernels/recorder/call.hpp"
#include "kernels/recorder/depth.hpp"
#include "kernels/recorder/looked_up.hpp"
#include "kernels/recorder/of_thread.hpp"
#include "kernels/recorder/recording.hpp"
#include "kernels/recorder/scheduler_file.hpp"

namespace finegrain::recorder {
namespace {

struct Worker {
  pid_t thread = 0;
  std::unique_ptr<SchedulerFile> file = nullptr;  ///< from the first reading on
  SchedulerTimes counted = {};                    ///< at the last reading
};

struct AllWorkers {
  std::vector<Worker> alive;
  std::int64_t read_at_ns = 0;
  Workers ended = {};  ///< since the last reading
};

constinit std::mutex workers_mutex;
constinit std::atomic<int> begun = 0;
/// The calling thread's number; 0 if it is none of them.
constinit thread_local pid_t this_worker __attribute__((tls_model("initial-exec"))) = 0;

/// Threads may end after the program's static objects, so it is never destroyed.
AllWorkers& all_workers() {
  static auto& all = *new AllWorkers;
  return all;
}

void add(Workers& sum, const SchedulerTimes& before, const SchedulerTimes& now) {
  sum.longest_run_ns = std::max(sum.longest_run_ns, now.ran_ns - before.ran_ns);
  sum.waited_ns += now.waited_ns - before.waited_ns;
}

/// @returns false if the kernel does not say
bool read(Worker& worker, Workers& sum) {
  if (worker.file == nullptr) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", worker.thread);
    worker.file = std::make_unique<SchedulerFile>(path);
  }
  const std::optional<SchedulerTimes> now = worker.file->read();
  if (now) add(sum, std::exchange(worker.counted, *now), *now);
  return now.has_value();
}

void begin_worker() {
  this_worker = ::gettid();
  free_at_threads_end();
  const std::lock_guard lock(workers_mutex);
  all_workers().alive.push_back({.thread = this_worker});
  ++begun;
}

using Function = void* (*)(void*);
struct Start {
  Function function;
  void* argument;
};

void* run_worker(void* argument) {
  const std::unique_ptr<Start> given(static_cast<Start*>(argument));
  const Start start = *given;
  begin_worker();
  return start.function(start.argument);
}

using Create = int (*)(pthread_t*, const pthread_attr_t*, Function, void*);

/// The C library's. It is looked up before the program has threads, one of which might hold the loader's
/// lock.
__attribute__((constructor)) Create next_create() {
  static const auto next = reinterpret_cast<Create>(look_up(RTLD_NEXT, "pthread_create"));
  return next;
}

/// A child has none of them, and may begin its own.
void begin_in_child() {
  all_workers() = {};
  begun = 0;
  workers_mutex.unlock();
}

__attribute__((constructor)) void follow_forks() {
  all_workers();
  ::pthread_atfork([] { workers_mutex.lock(); }, [] { workers_mutex.unlock(); }, begin_in_child);
}

}  // namespace

bool has_workers() {
  return begun.load(std::memory_order_relaxed) > (this_worker != 0 ? 1 : 0);
}

std::optional<Workers> read_workers(std::int64_t now_ns) {
  constexpr std::int64_t once_in_ns = 100'000;  // and thread
  const std::lock_guard lock(workers_mutex);
  AllWorkers& all = all_workers();
  if (now_ns - all.read_at_ns < once_in_ns * static_cast<std::int64_t>(all.alive.size())) return std::nullopt;
  Workers sum = std::exchange(all.ended, {});
  for (Worker& worker : all.alive)
    if (worker.thread != this_worker) read(worker, sum);
  sum.since_ns = std::exchange(all.read_at_ns, now_ns);
  return sum.since_ns != 0 ? std::optional(sum) : std::nullopt;
}

void note_worker_ends() {
  if (this_worker == 0) return;
  const std::lock_guard lock(workers_mutex);
  AllWorkers& all = all_workers();
  const auto own = std::ranges::find(all.alive, this_worker, &Worker::thread);
  this_worker = 0;
  if (own == all.alive.end()) return;  // of the process that forked this one
  if (all.read_at_ns != 0) {
    const SchedulerTimes before = own->counted;
    if (Workers unused; read(*own, unused))
      add(all.ended, before, {.ran_ns = cpu_time_ns(), .waited_ns = own->counted.waited_ns});
  }
  all.alive.erase(own);
}

}  // namespace finegrain::recorder

using namespace finegrain::recorder;

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*function)(void*),
                                                                     void* argument) noexcept {
  if (open_calls.depth > 0) return next_create()(thread, attributes, function, argument);
  auto* const start = new Start{function, argument};
  const int error = next_create()(thread, attributes, run_worker, start);
  if (error != 0) delete start;
  return error;
}
