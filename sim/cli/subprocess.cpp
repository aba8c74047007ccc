// SPDX-License-Identifier: MIT
#include "sim/cli/subprocess.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "sim/cli/guard.hpp"
#include "sim/cli/interruption.hpp"
#include "sim/replay/bytes.hpp"
#include "traces/io/descriptor.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"

namespace finegrain::cli {
namespace {

/// The binary that a command line is about: env does no more than set its environment.
std::string name_of(const CommandLine& command) {
  const auto sets_environment = [](const std::string& word) {
    return word == "env" || word.find('=') != std::string::npos;
  };
  const auto binary = std::ranges::find_if_not(command, sets_environment);
  return binary == command.end() ? command.front() : *binary;
}

std::string read_all(int descriptor) {
  std::string text;
  read_pieces(descriptor, [&](std::string_view piece) { text += piece; });
  return text;
}

/// A process under its guard.
class GuardedProcess {
 public:
  GuardedProcess(const CommandLine& command, Started started)
      : name_(name_of(command)), started_(started), signals_(stop_.write_end.number()) {
    const bool are_open = stdout_.is_open() && stop_.is_open() && end_.is_open();
    if (are_open) {
      std::fflush(nullptr);
      guard_ = ::fork();
    }
    if (guard_ < 0)
      throw InputError(name_, fmt::format("cannot be started ({})", std::strerror(errno)),
                       "End other programs");
    if (guard_ == 0) {
      stop_.write_end.close();
      guard(command, started, stdout_.write_end.number(), stop_.read_end.number(), end_.write_end.number());
    }
    end_.write_end.close();
    stdout_.write_end.close();
  }

  /// What it writes to stdout, to read to the end before wait().
  int stdout_descriptor() const { return stdout_.read_end.number(); }

  /// @returns its exit code @throws InputError if it or a rank was killed
  int wait() {
    const GuardedEnd end = wait_for_end();
    if (const std::string problem = problem_of(end); !problem.empty())
      throw InputError(name_, problem, "Was it interrupted, or out of memory?");
    const int code = WEXITSTATUS(end.status);
    // A real UPC++'s launcher says no more than 255, over UDP, where a rank was killed: no kernel ends so.
    if (code == 255 && started_ == Started::ours)
      throw InputError(name_, "ended with exit code 255 (it lost a rank)",
                       "Was it interrupted, or out of memory?");
    return code;
  }

  ProgramEnd wait_for_program() {
    const GuardedEnd end = wait_for_end();
    const int code = WIFSIGNALED(end.status)         ? 128 + WTERMSIG(end.status)
                     : end.stuck || is_guard_killed_ ? 1
                                                     : WEXITSTATUS(end.status);
    return {code, problem_of(end), end.said, end.without_recorder, name_};
  }

 private:
  GuardedEnd wait_for_end() {
    const std::string answer = read_all(end_.read_end.number());
    int status = 0;
    while (::waitpid(guard_, &status, 0) < 0 && errno == EINTR) {
    }
    GuardedEnd end;
    is_guard_killed_ = status != 0 || answer.empty();
    std::string_view bytes = answer;
    if (!is_guard_killed_) replay::take(bytes, end);
    if (end.start_error != 0)
      throw InputError(name_, fmt::format("cannot be started ({})", std::strerror(end.start_error)),
                       "Is it installed, and in PATH?");
    return end;
  }

  static std::string by_signal(int signal) {
    return fmt::format("ended by signal {} ({})", signal, ::strsignal(signal));
  }

  /// What its exit code does not say; or empty.
  std::string problem_of(const GuardedEnd& end) const {
    if (is_guard_killed_) return "the process of finegrain that watches it was killed";
    if (end.stuck)
      return fmt::format("{} died, and the others did not end by themselves (they were killed)",
                         end.rank < 0 ? "a rank" : fmt::format("rank {}", end.rank));
    if (WIFSIGNALED(end.status)) return by_signal(WTERMSIG(end.status));
    const int code = WEXITSTATUS(end.status);
    // mpirun exits with 128 + n where signal n ended a rank, which it then names, and with such numbers for
    // reasons of its own, which it says as well.
    const int signal = code - 128;
    if (signal <= 0 || signal >= NSIG) return {};
    if (end.rank >= 0) return fmt::format("rank {} {}", end.rank, by_signal(signal));
    if (end.said.told_exit || !end.said.not_started.empty()) return {};
    return fmt::format("ended with exit code {} (128 + {}: probably a rank ended by signal {}, {})", code,
                       signal, signal, ::strsignal(signal));
  }

  std::string name_;
  Started started_;
  Pipe stdout_;
  Pipe stop_;  ///< a byte or its end tells the guard to end everything
  Pipe end_;   ///< how it ended
  SignalsNoted signals_;
  pid_t guard_ = -1;
  bool is_guard_killed_ = false;  ///< nothing is known of the end then
};

}  // namespace

std::string shell_quoted(const CommandLine& command) {
  std::string line;
  for (const std::string& argument : command)
    line += (line.empty() ? "" : " ") + finegrain::shell_quoted(argument);
  return line;
}

int run_command(const CommandLine& command) {
  // What a kernel records is not to be lost with what it prints.
  ::signal(SIGPIPE, SIG_IGN);
  GuardedProcess process(command, Started::ours);
  // To the end, also when stdout takes no more.
  read_pieces(process.stdout_descriptor(), [](std::string_view piece) {
    std::fwrite(piece.data(), 1, piece.size(), stdout);
    std::fflush(stdout);
  });
  return process.wait();
}

ProgramEnd run_program(const CommandLine& command, const std::function<void()>& when_interrupted) {
  // A program whose output nobody reads goes on, as it would into a file. It keeps the signal itself.
  ::signal(SIGPIPE, SIG_IGN);
  GuardedProcess process(command, Started::users);
  int error = 0;
  read_pieces(process.stdout_descriptor(), [&](std::string_view piece) {
    if (error == 0 && !write_all(STDOUT_FILENO, piece)) error = errno;
  });
  ProgramEnd end = process.wait_for_program();
  if (error != 0)
    spdlog::warn("standard output: takes no more ({}), so the rest of what {} printed is lost",
                 std::strerror(error), end.name);
  if (signal_noted()) when_interrupted();
  return end;
}

Output read_output(const CommandLine& command) {
  GuardedProcess process(command, Started::ours);
  std::string text = read_all(process.stdout_descriptor());
  return {process.wait(), std::move(text)};
}

}  // namespace finegrain::cli
