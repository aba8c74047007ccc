// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace finegrain::replay {

/// The lock of one rank's memory in a window (MPI_Win_lock). Requests are served in order: a rank that
/// wants to share the lock waits behind one that wants it alone.
class WindowLock {
 public:
  enum class Kind : bool { shared, exclusive };

  /// The rank's request has arrived. @returns whether the rank has the lock now; otherwise it has to wait
  bool acquire(std::size_t rank, Kind kind);
  /// The rank releases the lock; a rank that does not hold it changes nothing. @returns the ranks that waited
  /// for the lock and hold it from now on, in the order of their requests
  std::vector<std::size_t> release(std::size_t rank);

 private:
  struct Wish {
    std::size_t rank;
    Kind kind;
  };
  bool fits(Kind kind) const;

  std::vector<Wish> holders_;
  std::deque<Wish> waiting_;
};

/// The locks of all windows, by the places that the compiler has given them.
class Locks {
 public:
  /// Makes room for locks that were met for the first time.
  void grow(std::size_t locks) { locks_.resize(locks); }
  bool acquire(std::size_t lock, std::size_t rank, WindowLock::Kind kind) {
    return locks_[lock].acquire(rank, kind);
  }
  std::vector<std::size_t> release(std::size_t lock, std::size_t rank) { return locks_[lock].release(rank); }

 private:
  std::vector<WindowLock> locks_;
};

}  // namespace finegrain::replay
