// SPDX-License-Identifier: MIT
#include "sim/cli/subprocess.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "sim/cli/guard.hpp"
#include "sim/cli/interruption.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"

namespace finegrain::cli {
namespace {

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw InputError("", fmt::format("no pipe to a process ({})", std::strerror(errno)),
                       "Close other programs");
  }
  ~Pipe() {
    close_read_end();
    close_write_end();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_read_end() { close(ends_[0]); }
  void close_write_end() { close(ends_[1]); }

 private:
  static void close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  std::array<int, 2> ends_{};
};

/// Calls take(text) with each piece, to the end.
template <class Take>
void read_pieces(int descriptor, Take take) {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    take(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
  }
}

std::string read_all(int descriptor) {
  std::string text;
  read_pieces(descriptor, [&](std::string_view piece) { text += piece; });
  return text;
}

/// The binary that a command line is about: env does no more than set its environment.
std::string name_of(const CommandLine& command) {
  const auto sets_environment = [](const std::string& word) {
    return word == "env" || word.find('=') != std::string::npos;
  };
  const auto binary = std::ranges::find_if_not(command, sets_environment);
  return binary == command.end() ? command.front() : *binary;
}

/// A process under its guard.
class GuardedProcess {
 public:
  GuardedProcess(const CommandLine& command, Started started)
      : name_(name_of(command)), started_(started), signals_(stop_.write_end()) {
    std::fflush(nullptr);
    guard_ = ::fork();
    if (guard_ < 0)
      throw InputError(name_, fmt::format("cannot be started ({})", std::strerror(errno)),
                       "End other programs");
    if (guard_ == 0) {
      stop_.close_write_end();
      guard(command, started, stdout_.write_end(), stop_.read_end(), end_.write_end());
    }
    end_.close_write_end();
    stdout_.close_write_end();
  }

  /// What it writes to stdout, to read to the end before wait().
  int stdout_descriptor() const { return stdout_.read_end(); }

  /// @returns its exit code
  int wait() {
    const std::string answer = read_all(end_.read_end());
    while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
    }
    GuardedEnd end;
    if (answer.size() != sizeof(end)) throw InputError(name_, "its guard was killed", "Run it again");
    std::memcpy(&end, answer.data(), sizeof(end));
    return exit_code(end);
  }

 private:
  static std::string by_signal(int signal) {
    return fmt::format("ended by signal {} ({})", signal, ::strsignal(signal));
  }

  int exit_code(const GuardedEnd& end) const {
    if (end.start_error != 0) {
      throw InputError(name_, fmt::format("cannot be started ({})", std::strerror(end.start_error)),
                       "Is it installed, and in PATH?");
    }
    const char* const hint = "Was it interrupted, or out of memory?";
    if (end.stuck) {
      throw InputError(name_,
                       fmt::format("{} died, and the others did not end by themselves (they were killed)",
                                   end.rank < 0 ? "a rank" : fmt::format("rank {}", end.rank)),
                       hint);
    }
    if (WIFSIGNALED(end.status)) throw InputError(name_, by_signal(WTERMSIG(end.status)), hint);
    const int code = WEXITSTATUS(end.status);
    // mpirun exits with 128 + n where signal n ended a rank, which it then names, and with such numbers for
    // reasons of its own. A real UPC++'s launcher says no more than 255, over UDP, where a rank was killed:
    // no kernel ends so.
    const int signal = code - 128;
    std::string problem;
    if (signal > 0 && signal < NSIG && end.rank >= 0)
      problem = fmt::format("rank {} {}", end.rank, by_signal(signal));
    else if (signal > 0 && signal < NSIG)
      problem = fmt::format("ended with exit code {} (128 + {}: probably a rank ended by signal {}, {})",
                            code, signal, signal, ::strsignal(signal));
    else if (code == 255 && started_ == Started::ours)
      problem = "ended with exit code 255 (it lost a rank)";
    if (problem.empty()) return code;
    if (started_ == Started::ours) throw InputError(name_, problem, hint);
    spdlog::warn("{}: {}", name_, problem);
    return code;
  }

  std::string name_;
  Started started_;
  Pipe stdout_;
  Pipe stop_;  ///< a byte or its end tells the guard to end everything
  Pipe end_;   ///< how it ended
  SignalsNoted signals_;
  pid_t guard_ = -1;
};

}  // namespace

std::string shell_quoted(const CommandLine& command) {
  std::string line;
  for (const std::string& argument : command)
    line += (line.empty() ? "" : " ") + finegrain::shell_quoted(argument);
  return line;
}

int run_command(const CommandLine& command, Started started) {
  GuardedProcess process(command, started);
  // To the end, also when stdout takes no more: what the process records is not to be lost with what it
  // prints.
  read_pieces(process.stdout_descriptor(), [](std::string_view piece) {
    std::fwrite(piece.data(), 1, piece.size(), stdout);
    std::fflush(stdout);
  });
  return process.wait();
}

Output read_output(const CommandLine& command) {
  GuardedProcess process(command, Started::ours);
  std::string text = read_all(process.stdout_descriptor());
  return {process.wait(), std::move(text)};
}

}  // namespace finegrain::cli
