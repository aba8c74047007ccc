// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace finegrain::cli {

/// What a launcher and its ranks write to stderr, without the pages in which Open MPI's mpirun says that a
/// rank failed: which rank was killed is taken out of them. (mpirun --quiet does not say which.) What else
/// decides how the end is told is noted as it passes.
class LauncherErrors {
 public:
  /// @returns those parts of it, and of text held back before, that people should read
  std::string pass(std::string_view text);
  /// @returns what is still held back at the end
  std::string rest();

  /// The rank that a signal killed.
  std::optional<int> killed_rank() const { return killed_rank_; }
  /// Whether there was a page that says that a rank ended itself, with an exit code.
  bool told_exit() const { return told_exit_; }
  /// Why the launcher could not start the job, in its own words; empty if it said no such thing.
  const std::string& not_started() const { return not_started_; }
  /// Why the recorder of some rank stopped, in its own words; empty if none did.
  const std::string& stopped() const { return stopped_; }
  /// Whether a recorder said that the program's MPI is not its own.
  bool is_other_mpi() const { return is_other_mpi_; }

 private:
  std::string pass_line(std::string line);
  void note(std::string_view line, bool begins_page);
  void note_reason(std::string_view line);

  enum class State {
    text,
    rule,  ///< held back: a page may begin that is left out
    left_out,
  };
  State state_ = State::text;
  std::string line_;        ///< held back until its end comes
  std::string whole_line_;  ///< the same with what was passed already, as far as it can be of interest
  bool in_line_ = false;    ///< its beginning was passed already
  std::optional<int> killed_rank_;
  /// Where in the page that says why the job could not be started.
  enum class Reason { none, sentence, subject } reason_ = Reason::none;
  bool told_exit_ = false;
  std::string not_started_;
  std::string stopped_;
  bool is_other_mpi_ = false;
};

}  // namespace finegrain::cli
