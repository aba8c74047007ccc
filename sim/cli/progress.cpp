// SPDX-License-Identifier: MIT
#include "sim/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "sim/replay/shares_done.hpp"
#include "traces/io/printable.hpp"

namespace finegrain::cli {

bool stderr_is_terminal() {
  return ::isatty(STDERR_FILENO) == 1 || std::getenv("FINEGRAIN_PROGRESS") != nullptr;
}

std::string progress_line(const std::string& what, double finished, std::size_t total, double spent_s) {
  if (total == 0) return fmt::format("{} ...", printable(what));
  const double share = std::clamp(finished / static_cast<double>(total), 0.0, 1.0);
  // What a short time says of a long one is worth nothing.
  constexpr double least_share = 0.01;
  const std::string left =
      share >= least_share && share < 1 ? fmt::format(", {:.0f} s left", spent_s * (1 - share) / share) : "";
  constexpr double width = 20;
  const std::string bar(static_cast<std::size_t>(width * share), '#');
  const std::string so_far = total == 1 ? fmt::format("{:.0f} %", std::floor(100 * share))
                                        : fmt::format("{:.0f}/{}", std::floor(finished), total);
  return fmt::format("{} [{:-<{}}] {}{}", printable(what), bar, static_cast<int>(width), so_far, left);
}

Progress::Progress(std::string what, std::size_t total) : what_(std::move(what)), total_(total) {
  if (on_terminal_)
    replay::shares_listener() = [this](double shares) { print(static_cast<double>(finished_) + shares); };
  show(0);
}

Progress::~Progress() {
  if (on_terminal_) replay::shares_listener() = {};
}

void Progress::show(std::size_t finished) const {
  finished_ = finished;
  print(static_cast<double>(finished));
}

void Progress::print(double finished) const {
  if (!on_terminal_) return;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  std::fputs((progress_line(what_, finished, total_, spent.count()) + "\033[K\r").c_str(), stderr);
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
