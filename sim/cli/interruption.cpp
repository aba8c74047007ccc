// SPDX-License-Identifier: MIT
#include "sim/cli/interruption.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "traces/io/atomic_file.hpp"

namespace finegrain::cli {
namespace {

volatile std::sig_atomic_t told_pipe = -1;  ///< -1: signals end this process
volatile std::sig_atomic_t noted = 0;
volatile std::sig_atomic_t is_silent = 0;

const char* sentence(int signal) {
  switch (signal) {
    case SIGTERM:
      return "interrupted by SIGTERM";
    case SIGHUP:
      return "interrupted by SIGHUP";
    default:
      return "interrupted";
  }
}

void say(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) {
    // Nobody listens.
  }
}

/// Calls nothing that a signal's handler must not call.
void on_signal(int signal) {
  const int error = errno;
  if (told_pipe >= 0) {
    noted = signal;
    if (::write(told_pipe, "", 1) < 0) {
      // Its reader has ended, so there is nothing to tell.
    }
    errno = error;
    return;
  }
  Temporary::remove_all();
  if (is_silent == 0) {
    if (::isatty(STDERR_FILENO) == 1) say("\r\033[K");  // where progress is shown
    say("finegrain: ");
    say(sentence(signal));
    say("\n");
  }
  ::_exit(128 + signal);  // as a shell counts
}

}  // namespace

void end_on_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    ::sigaddset(&action.sa_mask, signal);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  ::sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);
}

void end_silently() {
  is_silent = 1;
}

bool signal_noted() {
  return noted != 0;
}

SignalsNoted::SignalsNoted(int pipe) {
  noted = 0;
  told_pipe = pipe;
}

SignalsNoted::~SignalsNoted() {
  told_pipe = -1;
  if (noted != 0) on_signal(noted);
}

}  // namespace finegrain::cli
