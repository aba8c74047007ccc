// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "functions.hpp"

namespace finegrain::recorder {

class Depth;

/// A call that a thread is in, or was in when another function left it.
struct OpenCall {
  Function function = {};
  bool is_programs = false;  ///< not made by the MPI library for its own purposes
  const char* frame = nullptr;
  const Depth* depth = nullptr;
  std::uint64_t mark = 0;  ///< no other call of the thread has had it
};

/// The calls that a thread is in, the outermost one first. Only of so many it is known which they are.
constexpr int most_open_calls = 8;
struct OpenCalls {
  int depth = 0;
  std::uint64_t marks = 0;
  OpenCall calls[most_open_calls];
};
extern constinit thread_local OpenCalls open_calls __attribute__((tls_model("initial-exec")));
extern bool are_real_functions_bound;

/// Whether the thread is in a call inside another one.
inline bool is_in_inner_call() {
  return open_calls.depth > 1;
}

/// Where a frame keeps what it returns to.
inline const void* const* return_slot(const char* frame) {
  return reinterpret_cast<const void* const*>(frame + sizeof(void*));
}

/// Where the program goes on after the thread's outermost call; none: it is in no call.
inline const void* outermost_caller() {
  return open_calls.depth > 0 ? *return_slot(open_calls.calls[0].frame) : nullptr;
}

/// When a thread ends, the calls that it is in are left.
void note_left_at_threads_end();
/// When the recording ends in a call, those that this one is in will not return.
void note_left_around_last();

/// How many calls a thread is in: calls inside a call are made by the MPI library for its own purposes, or by
/// functions of the program that the library calls. Each entry point has one of these.
class Depth {
 public:
  [[gnu::always_inline]] explicit Depth(Function function) : before_(open_calls.depth) {
    if (!are_real_functions_bound) [[unlikely]] {
      bind_real_functions();
      are_real_functions_bound = true;
    }
    const char* const frame = static_cast<const char*>(__builtin_frame_address(0));
    if (before_ > 0) [[unlikely]]
      before_ = depth_without_left(frame);
    if (before_ < most_open_calls) {
      mark_ = ++open_calls.marks;
      open_calls.calls[before_] = {function, true, frame, this, mark_};
    }
    open_calls.depth = before_ + 1;
  }
  [[gnu::always_inline]] ~Depth() {
    mark_ = 0;
    if (open_calls.depth != before_ + 1) [[unlikely]]
      note_left_inside();
    open_calls.depth = before_;
  }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

  bool is_nested() const { return before_ > 0; }
  /// As is_librarys_own(), for a nested call, and remembers it.
  bool is_made_by_library(const void* return_address, bool library_uses_name) const;

 private:
  static int depth_without_left(const char* frame);
  void note_left_inside() const;

  int before_;
  volatile std::uint64_t mark_ = 0;  ///< in memory, because was_left() looks for it there
};

}  // namespace finegrain::recorder
