// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "functions.hpp"

namespace finegrain::recorder {

extern constinit thread_local int call_depth __attribute__((tls_model("initial-exec")));
extern bool are_real_functions_bound;

class Depth;

/// The call of the program that a thread is in, or was in last.
struct OutermostCall {
  const char* frame = nullptr;
  const Depth* depth = nullptr;
  std::uint64_t mark = 0;  ///< no other call of the thread has had it
};
extern constinit thread_local OutermostCall outermost_call __attribute__((tls_model("initial-exec")));

/// A call inside a call is made by the MPI library for its own purposes, not by the program. Each entry point
/// has one of these.
class Depth {
 public:
  [[gnu::always_inline]] Depth() : before_(call_depth) {
    if (!are_real_functions_bound) [[unlikely]] {
      bind_real_functions();
      are_real_functions_bound = true;
    }
    const char* const frame = static_cast<const char*>(__builtin_frame_address(0));
    if (before_ > 0 && was_left(frame)) [[unlikely]]
      before_ = 0;
    if (before_ == 0) {
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

  int before_;
  volatile std::uint64_t mark_ = 0;  ///< in memory, because was_left() looks for it there
};

}  // namespace finegrain::recorder
