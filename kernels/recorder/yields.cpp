// SPDX-License-Identifier: MIT
// An entry point of sched_yield. A thread that yields does not sleep, so the kernel counts the call as work.
#include "kernels/recorder/yields.hpp"

#include <dlfcn.h>
#include <sched.h>

#include <atomic>
#include <cerrno>

#include "kernels/recorder/depth.hpp"
#include "kernels/recorder/looked_up.hpp"
#include "kernels/recorder/recording.hpp"

namespace finegrain::recorder {

constinit thread_local std::int64_t yielded_ns = 0;

namespace {

using Yield = int (*)();
constinit std::atomic<Yield> known_yield = nullptr;

/// The C library's. It is looked up before the program's first signal, because that is not safe in a handler.
__attribute__((constructor)) Yield next_yield() {
  if (const Yield known = known_yield.load(std::memory_order_relaxed)) return known;
  const int error = errno;
  const auto found = reinterpret_cast<Yield>(look_up(RTLD_NEXT, "sched_yield"));
  errno = error;
  known_yield.store(found, std::memory_order_relaxed);
  return found;
}

/// Whether a recording goes on, and it is the program that yields, and not MPI in one of its calls.
bool is_recording() {
  return current_recording.load(std::memory_order_relaxed) != nullptr && open_calls.depth == 0;
}

}  // namespace
}  // namespace finegrain::recorder

using namespace finegrain::recorder;

/// Safe in a signal's handler.
extern "C" __attribute__((visibility("default"))) int sched_yield() noexcept {
  const Yield next = next_yield();
  if (!is_recording()) return next();
  const std::int64_t start_ns = clock_ns();
  const int result = next();
  yielded_ns += clock_ns() - start_ns;
  return result;
}
