// SPDX-License-Identifier: MIT
// The gate on numbers of ranks that were not recorded. Each program is recorded once on some small numbers,
// as folder/on2, folder/on8 beside folder/run1. By the rules of these (docs/scaling.md) it is written for the
// other number, before and after the change.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace finegrain::cli {

/// The command on another number of ranks: that after the first -n, -np or --ntasks is replaced.
/// @throws InputError if it names none
std::vector<std::string> command_on(std::vector<std::string> words, int ranks);

/// The folder of a program's recording on another number of ranks than that of its command.
std::filesystem::path recording_on(const std::filesystem::path& folder, int ranks);

/// The numbers of ranks of such recordings in a folder, ascending.
std::vector<int> recorded_on(const std::filesystem::path& folder);

/// How lines name the two programs that are compared.
inline constexpr const char* baseline_side = "the baseline";
inline constexpr const char* present_side = "the present program";

/// What has to be said of both programs, once; and what is said of one of them, with its name.
std::vector<std::string> notes_of_both(const std::vector<std::string>& baseline,
                                       const std::vector<std::string>& present);

/// Writes what the program of a folder's recordings does on another number of ranks.
/// @param run  its recording on the number of ranks of its command
/// @returns what has to be said of that
/// @throws InputError if it has too few recordings, or no rules lead to that number
std::vector<std::string> write_scaled(const std::filesystem::path& folder, const std::filesystem::path& run,
                                      int ranks, const std::filesystem::path& out);

}  // namespace finegrain::cli
