// SPDX-License-Identifier: MIT
#include "kernels/recorder/depth.hpp"

#include <pthread.h>
#include <signal.h>

#include <cstddef>

#include "kernels/recorder/recording.hpp"

namespace finegrain::recorder {
namespace {

/// Stacks grow towards lower addresses.
struct Stack {
  const char* lowest = nullptr;
  const char* end = nullptr;

  bool holds(const char* address) const { return lowest <= address && address < end; }
};

Stack find_stack_of_thread() {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return {};
  void* lowest = nullptr;
  std::size_t bytes = 0;
  const bool is_known = ::pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
  ::pthread_attr_destroy(&attributes);
  if (!is_known) return {};
  return {static_cast<const char*>(lowest), static_cast<const char*>(lowest) + bytes};
}

thread_local Stack stack_of_thread __attribute__((tls_model("initial-exec"))) = {};
thread_local bool has_looked_for_stack __attribute__((tls_model("initial-exec"))) = false;

}  // namespace

constinit thread_local int call_depth = 0;
constinit thread_local OutermostCall outermost_call = {};
bool are_real_functions_bound = false;

/// A program may leave a call without returning from it: an error handler or a signal handler calls longjmp()
/// or throws an exception.
/// @param frame  of a call that would be inside the outermost one
/// @returns whether the outermost call was certainly left
bool Depth::was_left(const char* frame) {
  if (!has_looked_for_stack) {
    stack_of_thread = find_stack_of_thread();
    has_looked_for_stack = true;
  }
  // On other stacks, those of coroutines, nobody knows what lies where.
  if (!stack_of_thread.holds(frame)) return false;
  const bool same_stack = stack_of_thread.holds(outermost_call.frame);
  // What is inside a call lies below it. There, the call's own variables are as it left them, unless others
  // have taken their place.
  if (same_stack && frame < outermost_call.frame) return outermost_call.depth->mark_ != outermost_call.mark;
  // A signal's handler may run on memory anywhere, even among the variables of main().
  stack_t alternate;
  if (::sigaltstack(nullptr, &alternate) != 0 || (alternate.ss_flags & SS_ONSTACK) != 0) return false;
  if (same_stack) return true;
  const char* const lowest = static_cast<const char*>(alternate.ss_sp);
  return alternate.ss_flags == 0 && Stack{lowest, lowest + alternate.ss_size}.holds(outermost_call.frame);
}

void Depth::note_left_call() {
  left_counts[static_cast<std::size_t>(outermost_call.function)].fetch_add(1, std::memory_order_relaxed);
  Access::note_left_call();
}

}  // namespace finegrain::recorder
