// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "traces/io/input_error.hpp"

namespace finegrain {

/// A task was killed, or got no memory: it may well succeed another time.
class TaskInterrupted : public InputError {
 public:
  using InputError::InputError;
};

/// Runs task(0) ... task(count - 1), each in a forked process of its own, `processes` at a time, and returns
/// what they returned, in the order of the tasks.
/// @param finished  called with the number of finished tasks each time one ends; may be empty
/// @param interrupted  called with a task that was interrupted, and why; the others then go on. Empty: that
/// is thrown as well
/// @throws InputError if a task threw InputError (its text), or any other exception, or its process died (the
/// last line it wrote to stderr); of several, the first task's; no further task is then started
std::vector<std::string> run_in_processes(
    std::size_t count, int processes, const std::function<std::string(std::size_t)>& task,
    const std::function<void(std::size_t)>& finished = {},
    const std::function<void(std::size_t, const TaskInterrupted&)>& interrupted = {});

}  // namespace finegrain
