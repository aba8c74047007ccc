// SPDX-License-Identifier: MIT
#include "kernels/recorder/depth.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstddef>

#include "kernels/recorder/caller.hpp"
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

/// A program may leave a call without returning from it: an error handler or a signal handler calls longjmp()
/// or throws an exception.
/// @param frame  that of a call that would be inside this one
/// @param mark  where the call's own mark was
/// @returns whether it was certainly left
bool was_left(const OpenCall& call, const char* frame, const volatile std::uint64_t& mark) {
  if (!has_looked_for_stack) {
    stack_of_thread = find_stack_of_thread();
    has_looked_for_stack = true;
  }
  // On other stacks, those of coroutines, nobody knows what lies where.
  if (!stack_of_thread.holds(frame)) return false;
  const bool same_stack = stack_of_thread.holds(call.frame);
  // What is inside a call lies below it. There, the call's own variables are as it left them, unless others
  // have taken their place.
  if (same_stack && frame < call.frame) return mark != call.mark;
  // A signal's handler may run on memory anywhere, even among the variables of main().
  stack_t alternate;
  if (::sigaltstack(nullptr, &alternate) != 0 || (alternate.ss_flags & SS_ONSTACK) != 0) return false;
  if (same_stack) return true;
  const char* const lowest = static_cast<const char*>(alternate.ss_sp);
  return alternate.ss_flags == 0 && Stack{lowest, lowest + alternate.ss_size}.holds(call.frame);
}

/// @param depth  that of a call that was left, from 0
void note_left(int depth) {
  const OpenCall& call = open_calls.calls[depth];
  if (call.is_programs)
    left_counts[static_cast<std::size_t>(call.function)].fetch_add(1, std::memory_order_relaxed);
  Access::note_left_call(depth);
}

}  // namespace

constinit thread_local OpenCalls open_calls = {};
bool are_real_functions_bound = false;

/// @param frame  a new call's
/// @returns how many calls the thread is in, without those that it has left, the innermost first
int Depth::depth_without_left(const char* frame) {
  int depth = open_calls.depth;
  for (int known = std::min(depth, most_open_calls); known > 0; --known) {
    const OpenCall& call = open_calls.calls[known - 1];
    if (!was_left(call, frame, call.depth->mark_)) break;
    note_left(known - 1);
    depth = known - 1;
  }
  return depth;
}

/// Calls inside this one are still open when it returns. Those on other stacks, of coroutines, may go on.
void Depth::note_left_inside() const {
  for (int inside = std::min(open_calls.depth, most_open_calls) - 1; inside > before_; --inside)
    if (stack_of_thread.holds(open_calls.calls[inside].frame)) note_left(inside);
}

bool Depth::is_made_by_library(const void* return_address, bool library_uses_name) const {
  if (!is_librarys_own(return_address, library_uses_name)) return false;
  if (before_ < most_open_calls) open_calls.calls[before_].is_programs = false;
  return true;
}

void note_left_at_threads_end() {
  for (int inside = std::min(open_calls.depth, most_open_calls) - 1; inside >= 0; --inside)
    note_left(inside);
  open_calls.depth = 0;
}

void note_left_around_last() {
  for (int around = std::min(open_calls.depth - 1, most_open_calls) - 1; around >= 0; --around)
    note_left(around);
}

}  // namespace finegrain::recorder
