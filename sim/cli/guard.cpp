// SPDX-License-Identifier: MIT
#include "sim/cli/guard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "kernels/machine/proc_file.hpp"
#include "sim/cli/launcher_errors.hpp"
#include "sim/replay/bytes.hpp"
#include "traces/io/descriptor.hpp"

namespace finegrain::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// For mpirun to end its ranks, here and on other nodes: it gives them a second.
constexpr milliseconds patience_with_launcher{4000};
/// For mpirun to notice that a rank died, and to end the others: it takes one to two seconds.
constexpr milliseconds patience_after_death{6000};
/// For the kernel to end what got SIGKILL.
constexpr milliseconds patience_with_kernel{5000};
constexpr milliseconds between_looks{250};
/// Programs that end soon are seen only if the first looks come soon.
constexpr milliseconds between_first_looks{50};
constexpr milliseconds first_looks{3000};
/// For the first program that calls MPI to be started.
constexpr milliseconds looks_for_recorder{20000};

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  for (std::filesystem::directory_iterator task(fmt::format("/proc/{}/task", process), error), end;
       !error && task != end; task.increment(error)) {
    std::ifstream in(task->path() / "children");
    children.insert(children.end(), std::istream_iterator<pid_t>(in), {});
  }
  return children;
}

enum class State {
  fine,    ///< lives, or has ended well
  failed,  ///< waits for its parent to ask how it ended, which was not well
  gone,    ///< its parent has asked
};

State state_of(pid_t process) {
  const std::string stat = machine::content_of_proc_file(fmt::format("/proc/{}/stat", process));
  // The state follows the name, which may hold anything, in parentheses; how it ended is last.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return State::gone;
  return stat.compare(name_end, 3, ") Z") == 0 && !stat.ends_with(" 0\n") ? State::failed : State::fine;
}

/// As Open MPI tells each rank.
std::optional<int> rank_of(pid_t process) {
  const std::string environment =
      '\0' + machine::content_of_proc_file(fmt::format("/proc/{}/environ", process));
  constexpr std::string_view name("\0OMPI_COMM_WORLD_RANK=", 22);
  const std::size_t found = environment.find(name);
  int rank = 0;
  if (found == std::string::npos ||
      std::from_chars(environment.data() + found + name.size(), environment.data() + environment.size(), rank)
              .ec != std::errc())
    return std::nullopt;
  return rank;
}

void add_descendants(pid_t process, std::vector<pid_t>& all) {
  for (const pid_t child : children_of(process)) {
    all.push_back(child);
    add_descendants(child, all);
  }
}

void kill_descendants(pid_t process) {
  for (const pid_t child : children_of(process)) {
    kill_descendants(child);
    ::kill(child, SIGKILL);
  }
}

class Guard {
 public:
  Guard(int stop, int errors, Started started) : stop_(stop), errors_(errors), started_(started) {
    sigset_t child_ends;
    ::sigemptyset(&child_ends);
    ::sigaddset(&child_ends, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child_ends, nullptr);
    child_ends_ = ::signalfd(-1, &child_ends, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  GuardedEnd run(pid_t launcher) {
    launcher_ = launcher;
    while (!launcher_ended_) {
      look();
      look_for_recorder();
      wait(is_looking_for_recorder() && Clock::now() - start_ < first_looks ? between_first_looks
                                                                            : between_looks);
      if (deadline_ && Clock::now() > *deadline_) break;
    }
    const bool well = launcher_ended_ && WIFEXITED(end_.status) && WEXITSTATUS(end_.status) == 0;
    if (!well) kill_all();
    if (is_terminal_given_) give_terminal_to(::getpgrp());
    pass_errors();
    if (!stopping_) write_all(STDERR_FILENO, filter_.rest());
    end_.said = filter_.said();
    if (end_.rank < 0) end_.rank = end_.said.killed_rank;
    return end_;
  }

 private:
  /// Until something happens, or for so long.
  void wait(milliseconds longest) {
    std::array<pollfd, 3> polls{
        {{stopping_ ? -1 : stop_, POLLIN, 0}, {errors_, POLLIN, 0}, {child_ends_, POLLIN, 0}}};
    if (::poll(polls.data(), polls.size(), static_cast<int>(longest.count())) <= 0) return;
    if (polls[0].revents != 0) {
      stopping_ = true;
      deadline_ = Clock::now() + patience_with_launcher;
      if (!launcher_ended_) ::kill(launcher_, SIGTERM);
    }
    if (polls[1].revents != 0) pass_errors();
    if (polls[2].revents != 0) reap();
  }

  void reap() {
    signalfd_siginfo ignored{};
    while (::read(child_ends_, &ignored, sizeof(ignored)) > 0) {
    }
    int status = 0;
    for (pid_t changed = 0; (changed = ::waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
      if (changed != launcher_) continue;
      if (WIFSTOPPED(status)) {
        if (WSTOPSIG(status) == SIGTTOU || WSTOPSIG(status) == SIGTTIN) give_terminal_to(launcher_);
        continue;
      }
      launcher_ended_ = true;
      end_.status = status;
    }
  }

  /// The launcher is no part of the group of processes that has the terminal. One that wants to use it all
  /// the same, e.g. to read a password, was stopped, and gets it as a shell's `fg` would give it.
  void give_terminal_to(pid_t group) {
    const int terminal = ::open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (terminal < 0) return;
    ::tcsetpgrp(terminal, group);
    ::close(terminal);
    is_terminal_given_ = group != ::getpgrp();
    if (is_terminal_given_) ::kill(-group, SIGCONT);
  }

  /// Sees which ranks there are, and whether one has died. mpirun may fail to notice it, then hangs, and with
  /// it everything.
  void look() {
    if (stopping_ || end_.stuck) return;
    const std::vector<pid_t> children = children_of(launcher_);
    for (const pid_t child : children) {
      if (ranks_.contains(child)) continue;
      if (const std::optional<int> rank = rank_of(child))
        ranks_.emplace(child, *rank);
      else if (has_died(child))
        ranks_.emplace(child, -1);
    }
    bool has_any_died = false;
    for (const auto& [process, rank] : ranks_) {
      if (!has_died(process)) continue;
      has_any_died = true;
      if (!first_death_) first_death_ = Clock::now();
      if (first_dead_rank_ < 0) first_dead_rank_ = rank;
    }
    if (!has_any_died) {  // what had failed, the launcher knows
      first_death_.reset();
      first_dead_rank_ = -1;
    }
    if (!first_death_ || Clock::now() - *first_death_ < patience_after_death) return;
    end_.stuck = true;
    end_.rank = first_dead_rank_;
    deadline_ = Clock::now();
  }

  bool is_looking_for_recorder() const {
    return started_ == Started::users && !stopping_ && !is_recorder_seen_ &&
           Clock::now() - start_ < looks_for_recorder;
  }

  /// Whether a program that has loaded MPI has the recorder, too. One that has it speaks for all.
  void look_for_recorder() {
    if (!is_looking_for_recorder()) return;
    std::vector<pid_t> processes;
    add_descendants(::getpid(), processes);
    for (const pid_t process : processes) {
      const std::string loaded = machine::content_of_proc_file(fmt::format("/proc/{}/maps", process));
      if (loaded.find("/libmpi") == std::string::npos) continue;
      is_recorder_seen_ = loaded.find("/libfinegrain_recorder") != std::string::npos;
      if (is_recorder_seen_) return end_.without_recorder.clear();
      end_.without_recorder =
          machine::content_of_proc_file(fmt::format("/proc/{}/cmdline", process)).c_str();  // its first word
    }
  }

  bool has_died(pid_t process) const {
    const State state = state_of(process);
    return state == State::failed || (state == State::gone && started_ == Started::ours);
  }

  void kill_all() {
    const Clock::time_point latest = Clock::now() + patience_with_kernel;
    // What loses its parent becomes a child of this process.
    while (Clock::now() < latest) {
      kill_descendants(::getpid());
      reap();
      if (::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) return;
      wait(milliseconds(20));
    }
  }

  void pass_errors() {
    const bool is_end = read_pieces(errors_, [&](std::string_view text) {
      const std::string passed = filter_.pass(text);
      // That mpirun was told to end, it need not tell.
      if (!stopping_) write_all(STDERR_FILENO, passed);
    });
    if (is_end) errors_ = -1;
  }

  int stop_;
  int errors_;  ///< -1 once it has ended
  Started started_;
  int child_ends_ = -1;
  pid_t launcher_ = -1;
  bool launcher_ended_ = false;
  bool stopping_ = false;
  bool is_terminal_given_ = false;
  bool is_recorder_seen_ = false;
  const Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> deadline_;
  std::map<pid_t, int> ranks_;  ///< rank of each process, -1 where it is not known
  std::optional<Clock::time_point> first_death_;
  int first_dead_rank_ = -1;
  LauncherErrors filter_;
  GuardedEnd end_;
};

/// Becomes the launcher. @returns errno if it cannot
int become(const std::vector<std::string>& command, bool reads, int stdout_descriptor, int errors) {
  // If even the guard is killed.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // Ctrl-C on a terminal is for the process that started the guard: mpirun takes a second one as an order to
  // leave its ranks behind.
  ::setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGTTOU})
    ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!reads) ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  if (stdout_descriptor != STDOUT_FILENO) ::dup2(stdout_descriptor, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  return errno;
}

}  // namespace

void guard(const std::vector<std::string>& command, Started started, int stdout_descriptor, int stop,
           int end) noexcept {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGTTOU})
    ::signal(signal, SIG_IGN);
  GuardedEnd result;
  Pipe errors;
  Pipe failure;
  if (!errors.is_open() || !failure.is_open()) {
    result.start_error = errno;
  } else {
    ::fcntl(errors.read_end.number(), F_SETFL, O_NONBLOCK);
    const bool reads = started == Started::users && ::isatty(STDIN_FILENO) == 0;
    Guard guard(stop, errors.read_end.number(), started);
    const pid_t launcher = ::fork();
    if (launcher == 0) {
      const int error = become(command, reads, stdout_descriptor, errors.write_end.number());
      ::_exit(::write(failure.write_end.number(), &error, sizeof(error)) < 0 ? 126 : 127);
    }
    result.start_error = launcher < 0 ? errno : 0;
    errors.write_end.close();
    failure.write_end.close();
    // Ends without a byte as soon as the launcher runs.
    if (launcher > 0 && ::read(failure.read_end.number(), &result.start_error, sizeof(int)) <= 0)
      result = guard.run(launcher);
  }
  std::string bytes;
  replay::append(bytes, result);
  ::_exit(write_all(end, bytes) ? 0 : 1);
}

}  // namespace finegrain::cli
