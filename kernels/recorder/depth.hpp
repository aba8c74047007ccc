// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "functions.hpp"

namespace finegrain::recorder {

extern constinit thread_local int call_depth __attribute__((tls_model("initial-exec")));
extern bool are_real_functions_bound;

class Depth;

/// The call of the program that a thread is in, or was in last, and which is not inside another.
struct OutermostCall {
  Function function = {};
  const char* frame = nullptr;
  const Depth* depth = nullptr;
  std::uint64_t mark = 0;  ///< no other call of the thread has had it
};
extern constinit thread_local OutermostCall outermost_call __attribute__((tls_model("initial-exec")));

/// How many calls a thread is in: calls inside a call are made by the MPI library for its own purposes, or by
/// functions of the program that the library calls. Each entry point has one of these.
class Depth {
 public:
  [[gnu::always_inline]] explicit Depth(Function function) : before_(call_depth) {
    if (!are_real_functions_bound) [[unlikely]] {
      bind_real_functions();
      are_real_functions_bound = true;
    }
    const char* const frame = static_cast<const char*>(__builtin_frame_address(0));
    if (before_ > 0 && was_left(frame)) [[unlikely]] {
      note_left_call();
      before_ = 0;
    }
    if (before_ == 0) {
      outermost_call.function = function;
      outermost_call.frame = frame;
      outermost_call.depth = this;
      mark_ = ++outermost_call.mark;
    }
    call_depth = before_ + 1;
  }
  [[gnu::always_inline]] ~Depth() {
    mark_ = 0;
    call_depth = before_;
  }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

  bool is_nested() const { return before_ > 0; }

 private:
  static bool was_left(const char* frame);
  static void note_left_call();

  int before_;
  volatile std::uint64_t mark_ = 0;  ///< in memory, because was_left() looks for it there
};

}  // namespace finegrain::recorder
