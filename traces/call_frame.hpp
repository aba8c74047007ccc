// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace finegrain {

/// One of the calls that led to a recorded one.
struct CallFrame {
  std::string object;         ///< the file that holds the code; empty: code that the program has made
  std::string build_id;       ///< that file's, in hexadecimal digits; "-": it has none; "python:exchange": a
                              ///< function of Python
  std::uint64_t address = 0;  ///< in that file, to which the call returns; of Python, the line

  friend bool operator==(const CallFrame&, const CallFrame&) = default;
};

/// Names the place of a call for people. @param frames  the innermost first
using NamePlace = std::function<std::string(std::span<const CallFrame> frames)>;

}  // namespace finegrain
