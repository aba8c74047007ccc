// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace finegrain {

/// "simulating 3/15, 40 s left" on stderr, rewritten in place; nothing where stderr is no terminal.
class Progress {
 public:
  Progress(std::string what, std::size_t total);
  void show(std::size_t finished) const;
  void clear() const;
  bool on_terminal() const { return on_terminal_; }

 private:
  std::string what_;
  std::size_t total_;
  bool on_terminal_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace finegrain
