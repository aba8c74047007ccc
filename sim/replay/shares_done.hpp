// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>

namespace finegrain::replay {

/// How much of each of several simulations is done, from 0 to 1. It is in memory that this process shares
/// with those that it starts: there the simulations run, and here somebody waits for them.
class SharesDone {
 public:
  explicit SharesDone(std::size_t simulations);
  ~SharesDone();
  SharesDone(const SharesDone&) = delete;
  SharesDone& operator=(const SharesDone&) = delete;

  /// Where a simulation says its share. Null: there was no memory for it.
  std::atomic<double>* of(std::size_t simulation) { return shares_.empty() ? nullptr : &shares_[simulation]; }
  /// The simulation has ended, and is counted by somebody else.
  void ended(std::size_t simulation) {
    if (!shares_.empty()) shares_[simulation] = 0;
  }
  /// The shares of all that have not ended.
  double sum() const;

 private:
  std::span<std::atomic<double>> shares_;
};

/// Where this process's simulation says its share. Null: this process simulates for nobody who asks.
std::atomic<double>* share_of_this_process();
void set_share_of_this_process(std::atomic<double>* share);

/// Told several times a second, while simulations run in other processes, the sum of their shares.
using SharesListener = std::function<void(double)>;
/// A process has one. Empty: nobody asks.
SharesListener& shares_listener();

}  // namespace finegrain::replay
