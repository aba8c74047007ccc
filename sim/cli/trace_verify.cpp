// SPDX-License-Identifier: MIT
#include "sim/cli/trace_verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/cli/progress.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/verify.hpp"

namespace finegrain::cli {
namespace {

/// Messages that do not match, and messages that are too long.
void add_message_tables(std::vector<output::Table>& tables, const Verification& result) {
  const auto identity = [](std::vector<output::Column> others) {
    std::vector<output::Column> columns = {
        {"sender", "sender"}, {"receiver", "receiver"}, {"communicator", "communicator"}, {"tag", "tag"}};
    std::ranges::move(others, std::back_inserter(columns));
    return columns;
  };
  if (result.mismatch_count > 0) {
    output::Table& pairs = tables.emplace_back();
    pairs.name = "pairs";
    pairs.title = "sends and receives that do not match";
    pairs.columns = identity({{"sends", "sends"},
                              {"receives", "receives"},
                              {"sent_bytes", "bytes sent"},
                              {"received_bytes", "bytes received"}});
    for (const PairMismatch& pair : result.mismatches)
      pairs.rows.push_back({std::int64_t{pair.sender}, std::int64_t{pair.receiver},
                            std::int64_t{pair.communicator}, std::int64_t{pair.tag}, pair.sends,
                            pair.receives, pair.sent_bytes, pair.received_bytes});
    pairs.notes.push_back(fmt::format("{} of {}; communicator 0 has all ranks", result.mismatches.size(),
                                      result.mismatch_count));
  }
  const ProgramCheck& program = result.program;
  if (program.long_message_count > 0) {
    output::Table& too_long = tables.emplace_back();
    too_long.name = "too_long";
    too_long.title = "messages that are longer than the receives that take them";
    too_long.columns = identity({{"sent_bytes", "bytes sent"}, {"received_bytes", "room for"}});
    for (const LongMessage& message : program.long_messages)
      too_long.rows.push_back({std::int64_t{message.sender}, std::int64_t{message.receiver},
                               std::int64_t{message.communicator}, std::int64_t{message.tag},
                               message.sent_bytes, message.room_bytes});
    too_long.notes.push_back(format_count(program.long_message_count, "message"));
  }
}

/// Where ranks' collectives differ, and what ranks wait for, in a program that cannot be executed again.
void add_program_tables(std::vector<output::Table>& tables, const ProgramCheck& program) {
  if (program.collective_count > 0) {
    output::Table& collectives = tables.emplace_back();
    collectives.name = "collectives";
    collectives.title = "ranks whose collectives differ";
    collectives.columns = {
        {"communicator", "communicator"}, {"number", "number"},         {"rank", "rank"},
        {"operation", "operation"},       {"other_rank", "other rank"}, {"other_operation", "its operation"}};
    for (const CollectiveMismatch& differs : program.collectives)
      collectives.rows.push_back({std::int64_t{differs.communicator}, differs.number,
                                  std::int64_t{differs.rank}, differs.operation,
                                  std::int64_t{differs.other_rank}, differs.other_operation});
    collectives.notes.push_back(fmt::format("{} of {}; number: of the communicator's collectives, from 1",
                                            program.collectives.size(), program.collective_count));
  }
  if (program.waiting_count > 0) {
    output::Table& waiting = tables.emplace_back();
    waiting.name = "waiting";
    waiting.title = "ranks that wait for ever, whatever the platform";
    waiting.columns = {
        {"rank", "rank"}, {"call", "call"}, {"function", "function"}, {"waits_for", "waits for"}};
    for (const WaitingRank& rank : program.waiting)
      waiting.rows.push_back({std::int64_t{rank.rank}, rank.call, rank.function, rank.waits_for});
    waiting.notes.push_back(fmt::format("{} of {}; call: of the rank's, from 1", program.waiting.size(),
                                        format_count(program.waiting_count, "rank")));
  }
}

std::string note_on_messages(const Verification& result) {
  if (!result.pairs_checked) return "sends and receives were not compared: ranks differ in iterations";
  if (result.mismatch_count > 0) return "sends without matching receives: listed below";
  if (!result.program.ok()) return "every send has its receive; what else does not fit is listed below";
  return "every send has its receive";
}

}  // namespace

Verification verify_with_progress(const Trace& trace) {
  // A program is also executed.
  const int steps = (trace.knows_iterations() ? 1 : 2) * trace.manifest().run.ranks;
  return with_progress("verifying rank", steps,
                       [&](const OnRank& on_rank) { return verify(trace, on_rank); });
}

void show_verification(const std::string& path, const std::string& table, output::Format format) {
  const Trace trace(path);
  const Verification result = verify_with_progress(trace);
  output::Table ranks{
      path,
      {{"rank", "rank"}, {"state", "state"}, {"iterations", "iterations"}, {"messages", "messages"}},
      {},
      {},
      "ranks"};
  for (std::size_t r = 0; r < result.ranks.size(); ++r) {
    const RankCheck& rank = result.ranks[r];
    ranks.rows.push_back(
        {static_cast<std::int64_t>(r), std::string(to_string(rank.state)), rank.iterations, rank.messages});
    if (!rank.problem.empty()) ranks.notes.push_back(rank.problem);
  }
  const bool are_calls = !trace.knows_iterations();
  if (are_calls) {
    ranks.columns[2].heading = "calls";
  } else {
    ranks.notes.push_back(fmt::format("{} of {} are there on all ranks", result.iterations_of_all,
                                      format_count(result.iterations_expected, "iteration")));
  }
  if (!result.manifest_complete) ranks.notes.emplace_back("the manifest says that the recording did not end");
  ranks.notes.push_back(note_on_messages(result));
  std::vector<output::Table> tables{std::move(ranks)};
  add_message_tables(tables, result);
  add_program_tables(tables, result.program);
  print(std::cout, output::chosen(std::move(tables), table), format);
  if (!result.ok()) throw InputError(path, "is not whole and consistent", "See the table on standard output");
}

}  // namespace finegrain::cli
