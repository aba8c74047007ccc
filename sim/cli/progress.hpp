// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace finegrain::cli {

/// Whether somebody watches: a terminal, or the Python package, which sets FINEGRAIN_PROGRESS where it does.
bool stderr_is_terminal();

/// "simulating [####----------------] 3/15, 40 s left" on stderr, rewritten in place where somebody watches.
class Progress {
 public:
  Progress(std::string what, std::size_t total);
  void show(std::size_t finished) const;
  void clear() const;

 private:
  std::string what_;
  std::size_t total_;
  bool on_terminal_ = stderr_is_terminal();
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Runs a job over all ranks that reports each with (ranks done, ranks), and shows how far it is.
template <typename Job>
auto with_progress(const std::string& what, int ranks, Job&& job) {
  const Progress progress(what, static_cast<std::size_t>(ranks));
  auto result = job([&](int done, int /*ranks*/) { progress.show(static_cast<std::size_t>(done)); });
  progress.clear();
  return result;
}

/// One Progress after the other: each begins with its first `show`, and ends when all of it is finished.
class ProgressInTurn {
 public:
  void show(const char* what, std::size_t finished, std::size_t of);

 private:
  std::optional<Progress> current_;
};

}  // namespace finegrain::cli
