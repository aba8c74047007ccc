// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

namespace finegrain {

/// "simulating 3/15" on stderr, rewritten in place; nothing where stderr is no terminal.
class Progress {
 public:
  Progress(std::string what, std::size_t total);
  void show(std::size_t finished) const;
  void clear() const;

 private:
  std::string what_;
  std::size_t total_;
  bool on_terminal_;
};

}  // namespace finegrain
