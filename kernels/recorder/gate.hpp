// SPDX-License-Identifier: MIT
#pragma once

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

namespace finegrain::recorder {

/// Keeps one thread of the recorder's own apart from the program's only thread that records. The program's
/// pays for it with two plain stores and a load a call, which a mutex would make two locked instructions: the
/// own thread, which comes four times a second, has the kernel order the other's memory accesses instead
/// (membarrier(2)).
class Gate {
 public:
  /// Whether the kernel can do that. To be called before the gate is used.
  static bool is_available() {
    return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  }

  void enter() {
    is_in_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // close() makes the processor keep the order
    if (is_closed_.load(std::memory_order_acquire)) [[unlikely]]
      wait();
  }
  void leave() { is_in_.store(false, std::memory_order_release); }

  /// Closes the gate, unless the program's thread is in it. @returns whether it did
  bool close() {
    is_closed_.store(true, std::memory_order_seq_cst);
    ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    if (!is_in_.load(std::memory_order_acquire)) return true;
    open();
    return false;
  }
  void open() { is_closed_.store(false, std::memory_order_release); }

 private:
  /// In a process that was forked meanwhile, nobody opens the gate again.
  void wait() {
    const pid_t process = process_;
    do {
      is_in_.store(false, std::memory_order_release);
      while (is_closed_.load(std::memory_order_acquire) && ::getpid() == process) {
        const timespec pause{0, 20'000};
        ::nanosleep(&pause, nullptr);
      }
      is_in_.store(true, std::memory_order_seq_cst);
    } while (is_closed_.load(std::memory_order_seq_cst) && ::getpid() == process);
  }

  std::atomic<bool> is_in_ = false;
  std::atomic<bool> is_closed_ = false;
  const pid_t process_ = ::getpid();
};

}  // namespace finegrain::recorder
