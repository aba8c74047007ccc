// SPDX-License-Identifier: MIT
#pragma once

namespace finegrain::cli {

/// From now on SIGINT, SIGTERM and SIGHUP each remove temporary files, write a sentence to stderr, and end
/// this process with exit code 128 + n. Processes that simulate end with it. SIGHUP stays ignored where it is
/// (nohup).
void end_on_signals();

/// The three still end this process, but say nothing: another process says it.
void end_silently();

/// Whether one of them was noted, and will end this process.
bool signal_noted();

/// While one lives, the three are only noted, and told to a pipe. When it goes, they end this process.
class SignalsNoted {
 public:
  /// @param pipe  its write end
  explicit SignalsNoted(int pipe);
  ~SignalsNoted();
  SignalsNoted(const SignalsNoted&) = delete;
  SignalsNoted& operator=(const SignalsNoted&) = delete;
};

}  // namespace finegrain::cli
