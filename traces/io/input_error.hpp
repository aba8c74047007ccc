// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

namespace finegrain {

/// What a user gave cannot be used: a file, a flag, an environment. The one exception type for that; caught
/// once, in main, and printed as one line. Its text reads "`where: problem (why). what to do?`", where
/// `where` is "file:line", "file: byte 1234", or the flag's name.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace finegrain
