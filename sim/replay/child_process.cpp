// SPDX-License-Identifier: MIT
#include "sim/replay/child_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <list>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "sim/replay/shares_done.hpp"
#include "traces/io/descriptor.hpp"

namespace finegrain::replay {
namespace {

constexpr char ok_mark = 'k';
constexpr char error_mark = 'e';
constexpr char interrupted_mark = 'i';

Pipe pipe_to_simulation() {
  Pipe pipe;
  if (!pipe.is_open())
    throw TaskInterrupted("replay", fmt::format("no pipe to a simulation ({})", std::strerror(errno)),
                          "Close other programs");
  return pipe;
}

std::string in_bytes(const InputError& error) {
  std::string bytes;
  for (const std::string& part : {error.where(), error.problem(), error.remedy()})
    append(bytes, part);
  return bytes;
}

/// @param answer  a mark, and an error in bytes
template <class Error>
Error error_in(std::string_view answer) {
  answer.remove_prefix(1);
  std::array<std::string, 3> parts;
  for (std::string& part : parts)
    take(answer, part);
  return {parts[0], parts[1], parts[2]};
}

/// The child's whole life. Never returns: the parent's destructors and exit handlers are not the child's to
/// run.
[[noreturn]] void run_child(const std::function<std::string(std::size_t)>& task, std::size_t index,
                            int result, int errors, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // The parent's handlers report the parent's failures, not this process's.
  for (const int signal : {SIGABRT, SIGBUS, SIGFPE, SIGHUP, SIGILL, SIGINT, SIGSEGV, SIGTERM})
    ::signal(signal, SIG_DFL);
  ::dup2(errors, STDERR_FILENO);
  std::string answer;
  try {
    answer = ok_mark + task(index);
  } catch (const TaskInterrupted& error) {
    answer = interrupted_mark + in_bytes(error);
  } catch (const InputError& error) {
    answer = error_mark + in_bytes(error);
  } catch (const std::bad_alloc&) {
    answer = interrupted_mark + in_bytes({"simulation", "out of memory", "Use fewer processes"});
  } catch (const std::exception& error) {
    std::string reason = error.what();
    std::ranges::replace(reason, '\n', ' ');
    answer = error_mark +
             in_bytes({"simulation", fmt::format("{} (SimGrid refused)", reason), "Check the platform file"});
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(write_all(result, answer) ? 0 : 1);  // the parent may be gone
}

/// One task's process, and what it has written so far.
class Child {
 public:
  /// @param share  where the task's simulation says its share; may be null
  Child(const std::function<std::string(std::size_t)>& task, std::size_t index, std::atomic<double>* share)
      : index_(index) {
    Pipe result = pipe_to_simulation();
    Pipe errors = pipe_to_simulation();
    // What is buffered now would otherwise be written by both processes.
    std::fflush(nullptr);
    std::cout.flush();
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ < 0) {
      throw TaskInterrupted("replay", fmt::format("no process for a simulation ({})", std::strerror(errno)),
                            "Use fewer processes");
    }
    if (process_ == 0) {
      set_share_of_this_process(share);
      shares_listener() = {};  // the parent's
    }
    if (process_ == 0) run_child(task, index, result.write_end.number(), errors.write_end.number(), parent);
    result_ = std::move(result.read_end);
    errors_ = std::move(errors.read_end);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::size_t index() const { return index_; }
  int result_descriptor() const { return result_.number(); }
  int errors_descriptor() const { return errors_.number(); }
  bool open() const { return result_.is_open() || errors_.is_open(); }

  void read_result() { read(result_, answer_); }
  void read_errors() { read(errors_, error_text_); }

  /// Waits for the process's end. @throws TaskInterrupted, InputError if the task failed
  std::string take_answer() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    if (!answer_.empty() && answer_.front() == error_mark) throw error_in<InputError>(answer_);
    if (!answer_.empty() && answer_.front() == interrupted_mark) throw error_in<TaskInterrupted>(answer_);
    if (WIFSIGNALED(status) && is_from_outside(WTERMSIG(status))) {
      throw TaskInterrupted("simulation",
                            fmt::format("interrupted by signal {} ({}; out of memory?)", WTERMSIG(status),
                                        ::strsignal(WTERMSIG(status))),
                            "Run it again");
    }
    const bool complete = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !answer_.empty();
    if (!complete) throw InputError("simulation", describe_death(status), "Check the platform file");
    return answer_.substr(1);
  }

 private:
  static void read(Descriptor& from, std::string& into) {
    std::array<char, 65536> buffer{};
    const ssize_t count = ::read(from.number(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) {
      from.close();
      return;
    }
    into.append(buffer.data(), static_cast<std::size_t>(count));
  }

  /// A signal from another process, or from the kernel when memory runs out; not one that the task's own
  /// error raises.
  static bool is_from_outside(int signal) {
    return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
  }

  std::string describe_death(int status) const {
    const std::string last_line = last_meaningful_line();
    const std::string how = WIFSIGNALED(status) ? ::strsignal(WTERMSIG(status)) : "it stopped early";
    return fmt::format("{} ({})", last_line.empty() ? "SimGrid gave no reason" : last_line, how);
  }

  /// Removes a log line's "[host:actor:(1) 0.0] file:7: [category/LEVEL] ", if it has that level.
  static bool cut_after(std::string& line, std::string_view level) {
    const std::size_t found = line.find(level);
    if (found == std::string::npos) return false;
    line.erase(0, found + level.size());
    return true;
  }

  /// The last line of SimGrid's log that is an error; else the last that is neither information nor a stack
  /// trace.
  std::string last_meaningful_line() const {
    std::string best;
    bool best_is_error = false;
    std::size_t begin = 0;
    while (begin < error_text_.size()) {
      const std::size_t end = std::min(error_text_.find('\n', begin), error_text_.size());
      std::string line = error_text_.substr(begin, end - begin);
      begin = end + 1;
      if (line.empty() || line.find("->") == 0 || line.find("Backtrace") == 0) continue;
      if (line.find("/INFO] ") != std::string::npos) continue;
      const bool is_error = cut_after(line, "/CRITICAL] ") || cut_after(line, "/ERROR] ");
      if (best_is_error && !is_error) continue;
      best = line;
      best_is_error = is_error;
    }
    return best;
  }

  std::size_t index_;
  pid_t process_ = -1;
  Descriptor result_;
  Descriptor errors_;
  std::string answer_;
  std::string error_text_;
};

/// Blocks until some child has written or closed a pipe, and reads it.
/// @param longest  to block; negative: for ever
void read_some(std::list<Child>& children, std::chrono::milliseconds longest) {
  std::vector<pollfd> polls;
  for (const Child& child : children) {
    // A negative descriptor, of a pipe already closed, is ignored by poll.
    polls.push_back({child.result_descriptor(), POLLIN, 0});
    polls.push_back({child.errors_descriptor(), POLLIN, 0});
  }
  if (::poll(polls.data(), polls.size(), static_cast<int>(longest.count())) <= 0) return;
  auto poll = polls.begin();
  for (Child& child : children) {
    if ((poll++)->revents != 0) child.read_result();
    if ((poll++)->revents != 0) child.read_errors();
  }
}

}  // namespace

void in_processes(std::size_t count, int processes, const std::function<std::string(std::size_t)>& task,
                  const std::function<void(std::size_t, std::string)>& answered, const OnFailure& failed,
                  KeptAnswers* kept) {
  std::map<std::size_t, std::string> known;
  if (kept != nullptr) known = kept->known_of_next_group(count);
  for (const auto& [index, answer] : known)
    answered(index, answer);
  std::list<Child> running;
  std::map<std::size_t, std::exception_ptr> failures;
  std::size_t next = 0;
  const SharesListener& listener = shares_listener();
  SharesDone shares(listener ? count : 0);
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds between_tellings{250};
  Clock::time_point told = Clock::now();
  const auto skip_known = [&] {
    while (known.contains(next))
      ++next;
  };
  skip_known();
  while ((next < count && failures.empty()) || !running.empty()) {
    while (next < count && failures.empty() &&
           running.size() < static_cast<std::size_t>(std::max(processes, 1))) {
      running.emplace_back(task, next, shares.of(next));
      ++next;
      skip_known();
    }
    if (listener && Clock::now() - told >= between_tellings) {
      listener(shares.sum());
      told = Clock::now();
    }
    read_some(running, listener ? between_tellings : std::chrono::milliseconds(-1));
    for (auto child = running.begin(); child != running.end();) {
      if (child->open()) {
        ++child;
        continue;
      }
      const std::size_t index = child->index();
      shares.ended(index);
      std::optional<std::string> answer;
      try {
        answer = child->take_answer();
      } catch (const InputError& error) {
        if (failed)
          failed(index, error);
        else
          failures.emplace(index, std::current_exception());
      }
      child = running.erase(child);
      if (!answer) continue;
      if (kept != nullptr) kept->keep(index, *answer);
      answered(index, std::move(*answer));
    }
  }
  // Tasks start in order, so the first task that fails is the same one however the processes are timed.
  if (!failures.empty()) std::rethrow_exception(failures.begin()->second);
}

}  // namespace finegrain::replay
