// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/run.hpp"

namespace finegrain::pattern {

/// A setting that a pattern or a policy takes. Flags, axes of studies, columns of their databases and
/// `--help` are made from this declaration.
struct Parameter {
  std::string name;   ///< the name of the flag, the axis, the column and the setting, e.g. "blocksize"
  std::string label;  ///< its name in texts for the user, e.g. "BLOCKSIZE"; empty: they leave it out
  std::string help;   ///< one line, with the default
  /// The words that are its values; none: its values are whole numbers of `least` or more.
  std::vector<std::string> words = {};
  bool is_axis = false;             ///< whether a study may vary it
  std::optional<Value> usual = {};  ///< the default; every policy's parameter has one
  std::int64_t least = 1;           ///< 0 or 1
  bool is_said_if_usual = true;     ///< whether a run's settings contain it if it has its default
};

/// @param place  for errors, e.g. "--blocksize"
/// @throws InputError if the text is none of the words, or no whole number
Value parse_value(const Parameter& parameter, const std::string& text, const std::string& place);

}  // namespace finegrain::pattern
