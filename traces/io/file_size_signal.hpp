// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>

#include <cerrno>
#include <ctime>

namespace finegrain {

/// While it lives, a file that reaches the largest size allowed (RLIMIT_FSIZE) is to this thread like a full
/// disk: write() fails, and SIGXFSZ, which would end the program, does not come.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() {
    ::sigemptyset(&signals_);
    ::sigaddset(&signals_, SIGXFSZ);
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGXFSZ) == 1;
    ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~NoFileSizeSignal() {
    const int error = errno;
    const timespec at_once{0, 0};
    while (!was_pending_ && ::sigtimedwait(&signals_, nullptr, &at_once) < 0 && errno == EINTR)
      continue;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

 private:
  sigset_t signals_;
  sigset_t before_;
  bool was_pending_;
};

}  // namespace finegrain
