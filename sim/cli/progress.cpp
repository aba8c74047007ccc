// SPDX-License-Identifier: MIT
#include "sim/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "traces/io/printable.hpp"

namespace finegrain::cli {

bool stderr_is_terminal() {
  return ::isatty(STDERR_FILENO) == 1 || std::getenv("FINEGRAIN_PROGRESS") != nullptr;
}

Progress::Progress(std::string what, std::size_t total) : what_(std::move(what)), total_(total) {
  show(0);
}

void Progress::show(std::size_t finished) const {
  if (!on_terminal_) return;
  std::string left;
  if (finished > 0 && finished < total_) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    left = fmt::format(", {:.0f} s left", spent.count() * static_cast<double>(total_ - finished) /
                                              static_cast<double>(finished));
  }
  constexpr std::size_t width = 20;
  const std::size_t done = total_ == 0 ? width : std::min(width, width * finished / total_);
  std::fputs(fmt::format("{} [{:-<{}}] {}/{}{}\033[K\r", printable(what_), std::string(done, '#'), width,
                         finished, total_, left)
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

void Progress::clear() const {
  if (!on_terminal_) return;
  std::fputs("\033[K\r", stderr);
  std::fflush(stderr);
}

void ProgressInTurn::show(const char* what, std::size_t finished, std::size_t of) {
  if (!current_) current_.emplace(what, of);
  current_->show(finished);
  if (finished != of) return;
  current_->clear();
  current_.reset();
}

}  // namespace finegrain::cli
