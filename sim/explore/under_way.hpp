// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace finegrain::explore {

/// Carries out a command of finegrain in a process of its own: its words, as after "finegrain" on a command
/// line. @returns its exit code; its output and errors are those of the process
using CarryOut = std::function<int(const std::vector<std::string>& words)>;

/// Loads and counts what such a command needs, for those that are carried out afterwards by children of the
/// same process. Throws nothing.
using Prepare = std::function<void(const std::vector<std::string>& words)>;

/// What one question may take, each process that simulates for it included.
struct Limits {
  double cpu_s = 60;
  double memory_bytes = 4.0 * 1024 * 1024 * 1024;  ///< beyond what is loaded before any question
};

/// Forks a process for each question that comes by the socket, until its other end is closed. To be called by
/// a process without threads. What it has loaded, its children need not load; and questions that differ in
/// numbers of the platform only (--set) share a process that has prepared the rest.
void carry_out_questions(int socket, const CarryOut& carry_out, const Prepare& prepare, const Limits& limits);

/// A question that was sent to carry_out_questions(). For any thread of another process.
class UnderWay {
 public:
  /// @param socket  the other end of that of carry_out_questions()
  /// @throws InputError if no process can be had
  UnderWay(int socket, const std::vector<std::string>& words);
  /// Ends its process and those that simulate for it.
  ~UnderWay();
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  /// Waits until its process says something or ends, but not longer. @returns whether it goes on
  bool wait(std::chrono::milliseconds longest);

  const std::string& output() const { return output_; }
  const std::string& errors() const { return errors_; }
  /// None: it goes on, or was ended.
  std::optional<int> exit_code() const { return exit_code_; }

 private:
  int output_end_ = -1;
  int errors_end_ = -1;
  int life_end_ = -1;  ///< the process writes its number there, then its exit code
  std::string output_;
  std::string errors_;
  std::string life_;
  std::optional<int> exit_code_;
};

}  // namespace finegrain::explore
