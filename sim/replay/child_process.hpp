// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/replay/bytes.hpp"
#include "sim/replay/kept_answers.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {

/// A task was killed, or got no memory: it may succeed if it is repeated.
class TaskInterrupted : public InputError {
 public:
  using InputError::InputError;
};

/// Called with a task that failed, and why.
using OnFailure = std::function<void(std::size_t, const InputError&)>;

/// Runs task(0) ... task(count - 1), each in a forked process of its own, `processes` at a time.
/// @param answered  called with a task and what it returned, as soon as it has
/// @param failed  called with a task that threw InputError (its text), or any other exception, or whose
/// process died (the last line it wrote to stderr); TaskInterrupted if it may succeed when repeated. The
/// other tasks go on. Empty: the exception is thrown (of several tasks, the first one's), and no further
/// task is started
/// @param kept  knows what some tasks return, which are not run then, and is told what the others do; may be
/// null
void in_processes(std::size_t count, int processes, const std::function<std::string(std::size_t)>& task,
                  const std::function<void(std::size_t, std::string)>& answered, const OnFailure& failed = {},
                  KeptAnswers* kept = nullptr);

/// The same with results of any type that bytes.hpp knows.
template <class Result>
void forked(std::size_t count, int processes, const std::function<Result(std::size_t)>& task,
            const std::function<void(std::size_t, Result)>& finished, const OnFailure& failed = {},
            KeptAnswers* kept = nullptr) {
  in_processes(
      count, processes,
      [&](std::size_t index) {
        std::string bytes;
        append(bytes, task(index));
        return bytes;
      },
      [&](std::size_t index, const std::string& answer) {
        std::string_view bytes = answer;
        Result result;
        take(bytes, result);
        finished(index, std::move(result));
      },
      failed, kept);
}

}  // namespace finegrain::replay
