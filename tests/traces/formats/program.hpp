// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "traces/diff.hpp"
#include "traces/formats/imported_trace.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::test {

/// What each format is tried with, on four ranks: blocking and nonblocking messages around a ring, of which
/// some are completed one by one, and every blocking collective of all ranks; work between them.
std::vector<formats::RankCalls> small_program();
inline constexpr int small_program_ranks = 4;

/// Two communicators, of the even and the odd ranks, and a message and a broadcast in each.
std::vector<formats::RankCalls> program_of_halves();
std::vector<formats::Communicator> halves();

/// Two ranks whose main thread receives while another sends: each receive ends before its rank's send does.
std::vector<formats::RankCalls> program_of_threads();

void write_program(const std::filesystem::path& folder, const std::vector<formats::RankCalls>& ranks,
                   const std::vector<formats::Communicator>& communicators = {});

/// Operations of two traces, times, calls and the numbers of requests that are completed at once aside: the
/// text of their first difference, or "equal".
std::string difference(const std::filesystem::path& first, const std::filesystem::path& second);

}  // namespace finegrain::test
