// SPDX-License-Identifier: MIT
#include "traces/io/input_error.hpp"

#include <utility>

namespace finegrain {

InputError::InputError(std::string_view where, std::string problem, std::string remedy)
    : std::runtime_error((where.empty() ? problem : std::string(where) + ": " + problem) +
                         (remedy.empty() ? remedy : ". " + remedy)),
      where_(where),
      problem_(std::move(problem)),
      remedy_(std::move(remedy)) {}

// Here, so that it is not compiled wherever one is thrown.
InputError::~InputError() = default;

}  // namespace finegrain
