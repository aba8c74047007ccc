// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace finegrain::cli {

/// Does what a command line asks for. Errors are said in one line on standard error.
/// @param words  after the name of the program
/// @returns the exit code: 0 done, 1 bad input or failed run, 2 wrong usage; of record: that of the program
int run_words(const std::vector<std::string>& words);

}  // namespace finegrain::cli
