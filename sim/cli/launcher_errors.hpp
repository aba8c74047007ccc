// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace finegrain::cli {

/// What a launcher and its ranks write to stderr, without the pages in which Open MPI's mpirun says that a
/// rank failed: which rank was killed is taken out of them. (mpirun --quiet does not say which.)
class LauncherErrors {
 public:
  /// @returns those parts of it, and of text held back before, that people should read
  std::string pass(std::string_view text);
  /// @returns what is still held back at the end
  std::string rest();

  /// The rank that a signal killed.
  std::optional<int> killed_rank() const { return killed_rank_; }

 private:
  std::string pass_line(std::string line);

  enum class State {
    text,
    rule,  ///< held back: a page may begin that is left out
    left_out,
  };
  State state_ = State::text;
  std::string line_;      ///< held back until its end comes
  bool in_line_ = false;  ///< its beginning was passed already
  std::optional<int> killed_rank_;
};

}  // namespace finegrain::cli
