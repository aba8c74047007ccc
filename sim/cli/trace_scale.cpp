// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <spdlog/spdlog.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/commands.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/workload.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"
#include "traces/places/chain_names.hpp"
#include "traces/scaling/scaled_trace.hpp"

namespace finegrain::cli {
namespace {

struct ScaleOptions {
  std::vector<std::string> recordings;
  int ranks = 0;
  std::string out;
  bool exact = false;
  bool typical = false;
};

void run_scale(const ScaleOptions& options) {
  std::deque<Trace> traces;
  std::vector<const Trace*> recordings;
  places::ChainNames names;
  for (const std::string& recording : options.recordings) {
    names.name(traces.emplace_back(recording));
    recordings.push_back(&traces.back());
  }
  ProgressInTurn progress;
  const formats::Import result = [&] {
    try {
      return scaling::scale_trace(
          recordings, options.ranks, options.out,
          options.exact     ? scaling::Exactly::one_rule
          : options.typical ? scaling::Exactly::typical
                            : scaling::Exactly::usual_rule,
          [&](const char* what, std::size_t done, std::size_t of) { progress.show(what, done, of); },
          [&](const std::string& a, const std::string& b) { return names.is_before(a, b); });
    } catch (const scaling::NoExactProgram& error) {
      if (options.exact || options.typical) throw;
      throw InputError(error.where(), error.problem(),
                       error.remedy() + ", or ask for what is typical (--typical)");
    }
  }();
  for (const std::string& note : result.notes)
    spdlog::warn("{}", note);
  fmt::print("{}: {}, {}, {}\n", printable(options.out), format_count(result.ranks, "rank"),
             format_count(result.calls, "call"), format_count(result.messages, "message"));
}

}  // namespace

void add_trace_scale(CLI::App& trace_command) {
  CLI::App* command = trace_command.add_subcommand(
      "scale",
      "Writes what a recorded program would do on another number of ranks. Record it on two numbers or\n"
      "better three. Each place of its source has to follow rules that hold in all recordings: which ranks\n"
      "call it and in which steps, to whom, how much, on which communicator. Whatever has no rule is\n"
      "named, and nothing is written, but with --typical. Times of work are extrapolated, and the output "
      "says so.");
  const auto options = std::make_shared<ScaleOptions>();
  command
      ->add_option("TRACES", options->recordings, "The program's recordings, on two numbers of ranks or more")
      ->required();
  command->add_option("--ranks", options->ranks, "Ranks of the program to write")
      ->required()
      ->check(number_between(2, 65536));
  command->add_option("--out", options->out, "New folder")->required();
  command->add_flag(
      "--exact", options->exact,
      "Refuse where several rules fit the recordings; otherwise the usual one is taken and named");
  command
      ->add_flag("--typical", options->typical,
                 "Where there is no exact rule, write what the program usually does, with as many messages\n"
                 "and bytes as laws of the number of ranks say. Says how far off the largest recording is,\n"
                 "predicted from the others, in percent")
      ->excludes("--exact");
  command->footer(
      "Example: finegrain record --out on4 -- mpirun -np 4 ./code\n"
      "         finegrain record --out on8 -- mpirun -np 8 ./code\n"
      "         finegrain trace scale on4 on8 --ranks 64 --out on64\n"
      "The rules, and what they were checked on: docs/scaling.md.");
  command->callback([options] { run_scale(*options); });
}

}  // namespace finegrain::cli
