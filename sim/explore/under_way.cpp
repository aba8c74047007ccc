// SPDX-License-Identifier: MIT
#include "sim/explore/under_way.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <list>

#include "traces/io/input_error.hpp"

namespace finegrain::explore {
namespace {

/// Where the process of a question writes, and where it tells its number and its exit code.
using Ends = std::array<int, 3>;
constexpr std::size_t most_bytes_of_a_question = 64 * 1024;

void close_all(Ends& ends) {
  for (int& end : ends) {
    if (end >= 0) ::close(end);
    end = -1;
  }
}

/// A message of a question with room for its ends.
struct Envelope {
  explicit Envelope(std::string& text) : part{text.data(), text.size()} {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  iovec part;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Ends))> control{};
  msghdr message{};
};

struct Question {
  std::vector<std::string> words;
  Ends ends;
};

bool send_question(int socket, const Question& question) {
  std::string text;
  for (const std::string& word : question.words)
    text += word + '\0';
  Envelope envelope(text);
  cmsghdr* const header = CMSG_FIRSTHDR(&envelope.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof question.ends);
  std::memcpy(CMSG_DATA(header), question.ends.data(), sizeof question.ends);
  return ::sendmsg(socket, &envelope.message, MSG_NOSIGNAL) >= 0;
}

/// Waits for the next question; none: the other end is closed.
std::optional<Question> receive_question(int socket) {
  std::string text(most_bytes_of_a_question, '\0');
  Envelope envelope(text);
  ssize_t size = 0;
  do
    size = ::recvmsg(socket, &envelope.message, MSG_CMSG_CLOEXEC);
  while (size < 0 && errno == EINTR);
  cmsghdr* const header = CMSG_FIRSTHDR(&envelope.message);
  if (size <= 0 || header == nullptr || header->cmsg_len != CMSG_LEN(sizeof(Ends))) return std::nullopt;
  Question question;
  std::memcpy(question.ends.data(), CMSG_DATA(header), sizeof question.ends);
  text.resize(static_cast<std::size_t>(size));
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1)
    question.words.emplace_back(text.c_str() + at);
  return question;
}

/// Bytes of address space that this process has.
double address_space_bytes() {
  double pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void limit(int resource, double most) {
  const rlimit limits{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limits);
}

/// The whole life of a question's process.
[[noreturn]] void live(const Question& question, const CarryOut& carry_out, const Limits& limits,
                       pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before
  ::dup2(question.ends[0], STDOUT_FILENO);
  ::dup2(question.ends[1], STDERR_FILENO);
  const int life = question.ends[2];
  pollfd reader{life, 0, 0};
  if (::poll(&reader, 1, 0) != 0) ::_exit(1);  // nobody waits for the answer any more
  const pid_t number = ::getpid();
  if (::write(life, &number, sizeof number) != sizeof number) ::_exit(1);
  limit(RLIMIT_CPU, limits.cpu_s);
  limit(RLIMIT_CORE, 0);
  const auto code = static_cast<char>(carry_out(question.words));
  std::cout.flush();
  std::fflush(nullptr);
  if (::write(life, &code, 1) != 1) ::_exit(1);
  // The answer is complete before the kernel has taken back this process's memory, which takes milliseconds.
  for (const int end : {STDOUT_FILENO, STDERR_FILENO, question.ends[0], question.ends[1], life})
    ::close(end);
  ::_exit(0);
}

/// Takes what is there. @returns false at the end
bool take(int& end, std::string& text) {
  std::array<char, 65536> bytes;
  const ssize_t count = ::read(end, bytes.data(), bytes.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (count > 0) {
    text.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }
  ::close(end);
  end = -1;
  return false;
}

/// What has to be prepared: all but numbers of the platform, and how often what is simulated.
std::vector<std::string> all_but_numbers(std::vector<std::string> words) {
  std::erase_if(words, [](const std::string& word) {
    return std::ranges::any_of(std::array{"--set=", "--iterations=", "--noise=", "--noise-runs=", "--seed="},
                               [&](const char* flag) { return word.starts_with(flag); });
  });
  if (!words.empty()) words.erase(words.begin());  // compare and report need the same
  return words;
}

/// A process that has prepared what its questions share.
struct Prepared {
  std::vector<std::string> key;
  int socket;  ///< where it takes its questions
};
constexpr std::size_t most_prepared = 4;

/// Lets it end, once its questions are answered.
void forget(std::list<Prepared>& all, std::list<Prepared>::iterator one) {
  ::close(one->socket);
  all.erase(one);
}

/// The life of a process that has prepared something: it forks one for each question.
[[noreturn]] void serve_prepared(int socket, const CarryOut& carry_out, const Limits& limits) {
  const pid_t self = ::getpid();
  while (std::optional<Question> question = receive_question(socket)) {
    if (::fork() == 0) {
      ::signal(SIGCHLD, SIG_DFL);  // it waits for the processes that simulate
      ::close(socket);
      live(*question, carry_out, limits, self);
    }
    close_all(question->ends);
  }
  while (::wait(nullptr) > 0) {
  }
  ::_exit(0);
}

/// @returns the socket by which it takes questions; -1: it could not be had
int start_prepared(const Question& first, const CarryOut& carry_out, const Prepare& prepare,
                   const Limits& limits) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return -1;
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // it died before
    // It holds no end of other questions, which would not be seen to end.
    const auto own = static_cast<unsigned>(ends[1]);
    ::close_range(STDERR_FILENO + 1, own - 1, 0);
    ::close_range(own + 1, ~0U, 0);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    limit(RLIMIT_AS, address_space_bytes() + limits.memory_bytes);
    limit(RLIMIT_CPU, limits.cpu_s);
    prepare(first.words);
    serve_prepared(ends[1], carry_out, limits);
  }
  ::close(ends[1]);
  if (process > 0) return ends[0];
  ::close(ends[0]);
  return -1;
}

}  // namespace

void carry_out_questions(int socket, const CarryOut& carry_out, const Prepare& prepare,
                         const Limits& limits) {
  ::signal(SIGCHLD, SIG_IGN);  // nobody waits for them
  std::list<Prepared> all;
  while (std::optional<Question> question = receive_question(socket)) {
    const std::vector<std::string> key = all_but_numbers(question->words);
    auto prepared = std::ranges::find(all, key, &Prepared::key);
    if (prepared == all.end() || !send_question(prepared->socket, *question)) {
      if (prepared != all.end()) forget(all, prepared);
      if (all.size() == most_prepared) forget(all, all.begin());
      if (const int end = start_prepared(*question, carry_out, prepare, limits); end >= 0) {
        all.push_back({key, end});
        send_question(end, *question);
      }
    } else {
      all.splice(all.end(), all, prepared);  // the one that was asked last
    }
    close_all(question->ends);  // where no process could be had, the question has ended
  }
}

UnderWay::UnderWay(int socket, const std::vector<std::string>& words) {
  std::array<int, 2> output{-1, -1};
  std::array<int, 2> errors{-1, -1};
  std::array<int, 2> life{-1, -1};
  bool ok = ::pipe2(output.data(), O_CLOEXEC) == 0 && ::pipe2(errors.data(), O_CLOEXEC) == 0 &&
            ::pipe2(life.data(), O_CLOEXEC) == 0;
  Question question{words, {output[1], errors[1], life[1]}};
  Ends own{output[0], errors[0], life[0]};
  std::size_t bytes = 0;
  for (const std::string& word : words)
    bytes += word.size() + 1;
  ok = ok && bytes <= most_bytes_of_a_question && send_question(socket, question);
  close_all(question.ends);
  if (!ok) {
    close_all(own);
    throw InputError("explore", "no process for a question could be had", "Ask again later");
  }
  output_end_ = own[0];
  errors_end_ = own[1];
  life_end_ = own[2];
}

UnderWay::~UnderWay() {
  // While the end is open, the number is that of its process and of no other.
  pid_t number = 0;
  if (life_end_ >= 0 && life_.size() < sizeof number) wait(std::chrono::milliseconds(100));
  if (life_end_ >= 0 && life_.size() >= sizeof number) {
    std::memcpy(&number, life_.data(), sizeof number);
    ::kill(-number, SIGTERM);  // it removes its temporary files
  }
  Ends own{output_end_, errors_end_, life_end_};
  close_all(own);
}

bool UnderWay::wait(std::chrono::milliseconds longest) {
  std::array<pollfd, 3> ends{
      {{output_end_, POLLIN, 0}, {errors_end_, POLLIN, 0}, {life_end_, POLLIN, 0}}};  // -1 is passed over
  if (::poll(ends.data(), ends.size(), static_cast<int>(longest.count())) > 0) {
    if (ends[0].revents != 0) take(output_end_, output_);
    if (ends[1].revents != 0) take(errors_end_, errors_);
    if (ends[2].revents != 0 && !take(life_end_, life_) && life_.size() > sizeof(pid_t))
      exit_code_ = static_cast<unsigned char>(life_.back());
  }
  return output_end_ >= 0 || errors_end_ >= 0 || life_end_ >= 0;
}

}  // namespace finegrain::explore
