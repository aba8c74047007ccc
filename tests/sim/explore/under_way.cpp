// SPDX-License-Identifier: MIT
#include "sim/explore/under_way.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <iostream>
#include <memory>
#include <new>
#include <thread>

// Under AddressSanitizer, memory that the operating system refuses ends the process.
#if defined(__SANITIZE_ADDRESS__)
#define LIMITS_OF_MEMORY_ABORT
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIMITS_OF_MEMORY_ABORT
#endif
#endif

using namespace finegrain::explore;
using namespace std::chrono_literals;

namespace {

std::string prepared;

/// What the questions of these tests ask for.
int carry_out(const std::vector<std::string>& words) {
  if (words[0] == "say") {
    std::cout << words[1];
    std::cerr << "said\n";
    return 3;
  }
  if (words[0] == "number") {
    std::cout << ::getpid() << std::endl;
    std::this_thread::sleep_for(600s);
  }
  if (words[0] == "prepared") std::cout << prepared << ' ' << ::getppid();
  if (words[0] == "memory") {
    try {
      const std::vector<char> bytes(std::stoul(words[1]), 'x');
      std::cout << bytes.size();
    } catch (const std::bad_alloc&) {
      std::cerr << "out of memory\n";
      return 1;
    }
  }
  if (words[0] == "work")
    for (volatile bool goes_on = true; goes_on;) {
    }
  return 0;
}

void prepare(const std::vector<std::string>& words) {
  prepared = words.at(1);
}

/// A process that carries out questions, until this one closes the socket.
class Process {
 public:
  explicit Process(const Limits& limits = {}) {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0);
    process_ = ::fork();
    if (process_ == 0) {
      ::close(ends[0]);
      carry_out_questions(ends[1], carry_out, prepare, limits);
      ::_exit(0);
    }
    ::close(ends[1]);
    socket_ = ends[0];
  }
  ~Process() {
    ::close(socket_);
    int status = 0;
    ::waitpid(process_, &status, 0);
  }
  int socket() const { return socket_; }

 private:
  pid_t process_ = -1;
  int socket_ = -1;
};

void wait_for_end(UnderWay& question) {
  while (question.wait(10s)) {
  }
}

bool is_alive(pid_t process) {
  return ::kill(process, 0) == 0;
}

}  // namespace

TEST_CASE("a question is carried out: its output, errors and exit code come back") {
  const Process process;
  UnderWay question(process.socket(), {"say", "a text of\nlines"});
  wait_for_end(question);
  CHECK(question.output() == "a text of\nlines");
  CHECK(question.errors() == "said\n");
  CHECK(question.exit_code() == 3);
}

TEST_CASE("several questions are carried out at the same time, and one that is given up ends") {
  const Process process;
  auto slow = std::make_unique<UnderWay>(process.socket(), std::vector<std::string>{"number", "a"});
  while (slow->output().find('\n') == std::string::npos)
    REQUIRE(slow->wait(10s));
  const auto number = static_cast<pid_t>(std::stol(slow->output()));
  UnderWay quick(process.socket(), {"say", ""});
  wait_for_end(quick);
  CHECK(quick.exit_code() == 3);
  CHECK(is_alive(number));
  slow.reset();
  for (int i = 0; i < 1000 && is_alive(number); ++i)
    std::this_thread::sleep_for(10ms);
  CHECK_FALSE(is_alive(number));
}

TEST_CASE("a question that takes more time than it may is ended, and others go on") {
  const Process process(Limits{.cpu_s = 1});
  UnderWay question(process.socket(), {"work", "a"});
  wait_for_end(question);
  CHECK(question.exit_code() == std::nullopt);
  UnderWay other(process.socket(), {"say", ""});
  wait_for_end(other);
  CHECK(other.exit_code() == 3);
}

#ifndef LIMITS_OF_MEMORY_ABORT
TEST_CASE("a question that takes more memory than it may is refused the rest, and others go on") {
  constexpr std::size_t megabyte = 1024 * 1024;
  const Process process(Limits{.memory_bytes = 200.0 * megabyte});
  const auto ask_for = [&](std::size_t bytes) {
    auto question = std::make_unique<UnderWay>(process.socket(),
                                               std::vector<std::string>{"memory", std::to_string(bytes)});
    wait_for_end(*question);
    return question;
  };
  CHECK(ask_for(100 * megabyte)->output() == std::to_string(100 * megabyte));
  const auto too_much = ask_for(300 * megabyte);
  CHECK(too_much->output().empty());
  CHECK(too_much->errors() == "out of memory\n");
  CHECK(too_much->exit_code() == 1);
  CHECK(ask_for(100 * megabyte)->exit_code() == 0);
}
#endif

TEST_CASE("questions that differ in numbers of the platform share what was prepared") {
  const Process process;
  const auto answer = [&](const std::vector<std::string>& words) {
    UnderWay question(process.socket(), words);
    wait_for_end(question);
    return question.output();
  };
  const std::string first = answer({"prepared", "--ranks=1", "--set=tau=x2"});
  CHECK(first.starts_with("--ranks=1 "));
  CHECK(answer({"prepared", "--ranks=1", "--set=tau=x3"}) == first);
  CHECK(answer({"prepared", "--ranks=2", "--set=tau=x3"}).starts_with("--ranks=2 "));
  for (int ranks = 3; ranks < 9; ++ranks)  // more than are kept
    CHECK(answer({"prepared", "--ranks=" + std::to_string(ranks)})
              .starts_with("--ranks=" + std::to_string(ranks)));
  const std::string again = answer({"prepared", "--ranks=1"});
  CHECK(again.starts_with("--ranks=1 "));
  CHECK(again != first);
}
