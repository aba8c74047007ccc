// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "sim/cli/answer.hpp"
#include "sim/cli/answers_diff.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/kept_answers.hpp"
#include "sim/cli/program_diff.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

struct DiffFlags {
  DiffQuestion question{.processes = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))};
  std::string table;
  std::string format = "table";
};

/// @returns whether the answers differ
bool print_diff_of_answers(const CLI::App& command, const DiffFlags& flags) {
  const DiffQuestion& question = flags.question;
  for (const CLI::Option* option : command.get_options())
    if (const std::string name = option->get_name();
        option->count() > 0 && name.starts_with("--") && name != "--table" && name != "--format")
      throw InputError(name, "it is of recordings (here are answers that were kept)", "Leave it out");
  AnswersDiff diff = diff_answers(question.before, question.after);
  print_answer(output::chosen(std::move(diff.tables), flags.table), flags.table,
               output::parse_format(flags.format));
  return diff.any;
}

void run_diff(const CLI::App& command, const DiffFlags& flags) {
  const DiffQuestion& question = flags.question;
  const output::Format format = output::parse_format(flags.format);
  const bool is_kept = is_kept_answers(question.before);
  if (is_kept != is_kept_answers(question.after))
    throw InputError(question.after, "is of another kind: one is a recording, the other has kept answers",
                     "Compare two recordings, or two files of answers");
  if (is_kept) {
    if (print_diff_of_answers(command, flags))
      throw InputError(question.after, fmt::format("differs from {}", question.before),
                       "See the list on standard output");
    return;
  }
  ProgramDiff diff = diff_programs(question);
  print_answer(output::chosen(std::move(diff.tables), flags.table), flags.table, format);
  if (diff.changed > 0)
    throw InputError(
        question.after,
        fmt::format("differs from {} at {}", question.before, format_count(diff.changed, diff.by)),
        "See the list on standard output");
}

}  // namespace

void add_diff_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "diff",
      "What takes longer in a changed program: two recordings of it, before and after. Which functions or\n"
      "lines of the source call, send or take more than before; with --platform, also where nobody ran it,\n"
      "by place, by cause and by rank. The differences add up to the difference of the runs' times. Two\n"
      "files of answers (--format json) are compared by run, platform and region. Exit code 1 if calls,\n"
      "messages or bytes differ, or kept seconds do.");
  const auto flags = std::make_shared<DiffFlags>();
  DiffQuestion& question = flags->question;
  command
      ->add_option("BEFORE", question.before,
                   "Recorded program, a folder or a packed file; or answers that were kept as JSON")
      ->required();
  command->add_option("AFTER", question.after, "The same of the changed program")->required();
  add_call_names(*command, question.names)->default_str("place, where both have places");
  command->add_option("--ranks-per-node", question.workload.ranks_per_node, "Ranks of a node, simulated")
      ->check(at_least_one());
  add_platform_options(*command, question.platform);
  command->get_option("--platform")->required(false);
  add_processes_option(*command, question.processes);
  add_table_choice(*command, flags->table, {"places", "causes", "ranks", "runs", "regions"});
  add_format_option(*command, flags->format);
  command->footer(
      "Example: finegrain diff before.trace after.trace\n"
      "         finegrain diff before.trace after.trace --platform abel,hdr_infiniband\n"
      "         finegrain diff before.json after.json");
  command->callback([command, flags] { run_diff(*command, *flags); });
}

}  // namespace finegrain::cli
