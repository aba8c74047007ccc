// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace finegrain::cli {

/// Whether somebody watches: a terminal, or one that sets FINEGRAIN_PROGRESS, as the Python package does
/// where it shows progress, and `finegrain explore`, whose page does.
bool stderr_is_terminal();

/// A line such as "simulating [####----------------] 3/15, 40 s left". Of one long thing: "simulating
/// [####----------------] 20 %, 40 s left". Of what does not say how far it is: "placing 64 ranks ...".
/// @param finished  how many of `total`, in whole ones and shares of those under way
std::string progress_line(const std::string& what, double finished, std::size_t total, double spent_s);

/// That line on stderr, rewritten in place where somebody watches. While simulations run in other processes,
/// it also has their shares.
class Progress {
 public:
  /// Progress of something that does not say how far it is.
  explicit Progress(std::string what) : Progress(std::move(what), 0) {}
  Progress(std::string what, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::size_t finished) const;
  void clear() const;

 private:
  void print(double finished) const;

  std::string what_;
  std::size_t total_;
  mutable std::size_t finished_ = 0;  ///< shown last
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
