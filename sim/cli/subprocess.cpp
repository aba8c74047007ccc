// SPDX-License-Identifier: MIT
#include "sim/cli/subprocess.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

volatile std::sig_atomic_t running_child = 0;
volatile std::sig_atomic_t interrupted = 0;

/// Ctrl-C on a terminal comes from the kernel, to the child as well: mpirun takes a second one as an order to
/// leave its ranks behind.
void pass_on(int signal, siginfo_t* info, void* /*context*/) {
  if (signal == SIGINT) interrupted = 1;
  if (running_child > 0 && info->si_code != SI_KERNEL) ::kill(running_child, signal);
}

/// While a child runs, SIGTERM and SIGINT are its business; we only wait.
class SignalsToChild {
 public:
  explicit SignalsToChild(pid_t child) {
    running_child = child;
    interrupted = 0;
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGTERM, &action, &old_term_);
    ::sigaction(SIGINT, &action, &old_int_);
  }
  ~SignalsToChild() {
    ::sigaction(SIGTERM, &old_term_, nullptr);
    ::sigaction(SIGINT, &old_int_, nullptr);
    running_child = 0;
  }
  SignalsToChild(const SignalsToChild&) = delete;
  SignalsToChild& operator=(const SignalsToChild&) = delete;

 private:
  struct sigaction old_term_ {};
  struct sigaction old_int_ {};
};

/// @param stdout_descriptor  what the child gets as its stdout; ours if it is STDOUT_FILENO
pid_t start(const CommandLine& command, int stdout_descriptor) {
  std::fflush(nullptr);
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  // mpirun would read what a shell's loop still has to read.
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (stdout_descriptor != STDOUT_FILENO)
    ::posix_spawn_file_actions_adddup2(&actions, stdout_descriptor, STDOUT_FILENO);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw InputError(fmt::format("{}: cannot be started ({}). Is it installed, and in PATH?", command.front(),
                                 std::strerror(error)));
  }
  return child;
}

int wait_for(const CommandLine& command, pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw InputError(fmt::format("{}: lost ({})", command.front(), std::strerror(errno)));
  if (interrupted != 0) throw Interrupted();
  // mpirun itself reports a killed rank as 128 + signal.
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128;
  if (signal > 0 && signal < NSIG) {
    throw InputError(fmt::format("{}: ended by signal {} ({}). Was it interrupted, or out of memory?",
                                 command.front(), signal, ::strsignal(signal)));
  }
  return WEXITSTATUS(status);
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

std::string shell_quoted(const CommandLine& command) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  std::string line;
  for (const std::string& argument : command) {
    if (!line.empty()) line += ' ';
    if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) {
      line += argument;
      continue;
    }
    line += '\'';
    for (const char c : argument)
      line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

int run_program(const CommandLine& command) {
  const pid_t child = start(command, STDOUT_FILENO);
  const SignalsToChild signals(child);
  return wait_for(command, child);
}

Output read_program(const CommandLine& command) {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw InputError(fmt::format("{}: no pipe to it ({})", command.front(), std::strerror(errno)));
  pid_t child = 0;
  try {
    child = start(command, ends[1]);
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  ::close(ends[1]);
  const SignalsToChild signals(child);
  std::string text = read_all(ends[0]);
  ::close(ends[0]);
  return {wait_for(command, child), std::move(text)};
}

}  // namespace finegrain
