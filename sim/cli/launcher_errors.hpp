// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <tuple>

namespace finegrain::cli {

/// What a launcher and its ranks said that decides how the end of a run is told.
struct SaidAtEnd {
  int killed_rank = -1;           ///< the rank that a signal killed; -1: none is named
  bool told_exit = false;         ///< a rank ended itself, with an exit code
  std::string not_started;        ///< why the launcher could not start the job, in its own words
  std::string recording_stopped;  ///< why the recorder of some rank stopped, in its own words
  bool is_other_mpi = false;      ///< a recorder said that the program's MPI is not its own

  friend auto parts_of(SaidAtEnd& said) {
    return std::tie(said.killed_rank, said.told_exit, said.not_started, said.recording_stopped,
                    said.is_other_mpi);
  }
};

/// What a launcher and its ranks write to stderr, without the pages in which Open MPI's mpirun says that a
/// rank failed: which rank was killed is taken out of them. (mpirun --quiet does not say which.) What else
/// decides how the end is told is noted as it passes.
class LauncherErrors {
 public:
  /// @returns those parts of it, and of text held back before, that people should read
  std::string pass(std::string_view text);
  /// @returns what is still held back at the end
  std::string rest();

  const SaidAtEnd& said() const { return said_; }

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
  /// Where in the page that says why the job could not be started.
  enum class Reason { none, sentence, subject } reason_ = Reason::none;
  SaidAtEnd said_;
};

}  // namespace finegrain::cli
