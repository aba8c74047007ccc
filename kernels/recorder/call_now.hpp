// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "functions.hpp"

namespace finegrain::recorder {

/// The outermost call that a thread is in, as other threads may see it.
struct CallNow {
  std::atomic<std::int64_t> start_ns = 0;  ///< 0: in none
  std::atomic<Function> function = {};
  std::atomic<const void*> caller = nullptr;          ///< to which it returns
  std::atomic<std::int64_t> counted_cpu_time_ns = 0;  ///< the thread's until its last call, or shortly before
  CallNow* next = nullptr;                            ///< another thread's
  bool is_listed = false;

  void begin(Function of, const void* from, std::int64_t at_ns) {
    function.store(of, std::memory_order_relaxed);
    caller.store(from, std::memory_order_relaxed);
    start_ns.store(at_ns, std::memory_order_relaxed);
  }
  void end() { start_ns.store(0, std::memory_order_relaxed); }
};
extern constinit thread_local CallNow call_now __attribute__((tls_model("initial-exec")));

/// So that longest_call() finds this thread's, until it ends.
void list_call_of_thread();
void unlist_call_of_thread();
/// CPU time until their last calls of the threads that have not ended.
std::int64_t counted_cpu_time_of_listed_ns();
/// The open call of the thread that has been in its own the longest; it began at 0 if no thread is in one.
struct OpenSince {
  Function function = {};
  const void* caller = nullptr;
  std::int64_t start_ns = 0;
};
OpenSince longest_call();

}  // namespace finegrain::recorder
