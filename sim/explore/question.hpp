// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace finegrain::explore {

/// What a page may ask. Anything else is refused: above all, the name of a file.
struct Askable {
  /// Words of every question, such as "--matrix=heart.fgm": what was named on the command line.
  std::vector<std::string> fixed;
  /// Flags that say instead what runs, and name no file, such as "--heat".
  std::vector<std::string> problems;
  std::vector<std::string> flags;      ///< that have a value, such as "--ranks"
  std::vector<std::string> switches;   ///< that have none, such as "--oversubscribe"
  std::vector<std::string> platforms;  ///< values of --platform
};

/// The command that a question asks for: the words after "finegrain".
/// @param body  {"command": "compare" | "report", "flags": {"--ranks": "64", "--set": ["tau=x2"]}}
/// @throws InputError for what is not askable
std::vector<std::string> words_of(const std::string& body, const Askable& askable);

/// The same of a question that is answered before it, sooner and with less in it: body has its flags as
/// "first_look". Empty: none is asked for.
std::vector<std::string> first_look_of(const std::string& body, const Askable& askable);

}  // namespace finegrain::explore
