// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/run.hpp"

namespace finegrain::pattern {

/// A setting that a pattern or a policy takes. Flags, axes of studies, columns of their databases and
/// `--help` are made of this declaration.
struct Parameter {
  std::string name;   ///< of the flag, the axis, the column and the setting, e.g. "blocksize"
  std::string label;  ///< as texts for people name it, e.g. "BLOCKSIZE"; empty: they do not
  std::string help;   ///< one line, with the default
  /// The words it may be; none: it is a whole number of `least` or more.
  std::vector<std::string> words = {};
  bool is_axis = false;             ///< whether a study may vary it; else it follows from the ranks
  std::optional<Value> usual = {};  ///< of a policy's: where it is not given
  std::int64_t least = 1;           ///< 0 or 1
  bool is_said_if_usual = true;     ///< else it is left out of a run's settings where it has the usual value
};

/// @param place  for errors, e.g. "--blocksize"
/// @throws InputError if the text is none of the words, or no whole number
Value parse_value(const Parameter& parameter, const std::string& text, const std::string& place);

}  // namespace finegrain::pattern
