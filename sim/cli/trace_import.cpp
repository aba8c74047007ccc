// SPDX-License-Identifier: MIT
#include "sim/cli/trace_import.hpp"

#include <fmt/format.h>

#include <spdlog/spdlog.h>

#include <memory>
#include <optional>
#include <string>

#include "sim/cli/workload.hpp"
#include "traces/formats/foreign_formats.hpp"
#include "traces/formats/goal_import.hpp"
#include "traces/formats/otf2_import.hpp"
#include "traces/formats/time_independent_import.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

struct ImportOptions {
  std::string path;
  std::string out;
  std::string format;
  std::optional<double> flops_per_second;
};

formats::Import import_as(const ImportOptions& options, const std::string& format) {
  if (format == "otf2") return formats::import_otf2(options.path, options.out);
  if (format == "goal") return formats::import_goal(options.path, options.out);
  return formats::import_time_independent(options.path, options.out, options.flops_per_second);
}

void run_import(const ImportOptions& options) {
  const std::string foreign = formats::foreign_format(options.path);
  const bool is_archive = options.path.ends_with(".otf2") || options.format == "otf2";
  if (!foreign.empty() && !is_archive) throw InputError(options.path, foreign, formats::formats_read);
  const std::string format = options.format.empty() ? formats::likely_format(options.path) : options.format;
  const formats::Import result = import_as(options, format);
  for (const std::string& note : result.notes)
    spdlog::warn("{}", note);
  fmt::print("{}: {}, {}, {}\n", printable(options.out), format_count(result.ranks, "rank"),
             format_count(result.calls, "call"), format_count(result.messages, "message"));
  if (format != "ti") return;
  if (options.flops_per_second)
    fmt::print(
        "Work is timed at {:g} flop/s. A replay keeps these times on the platform's first host; a host "
        "of another speed takes its own\n",
        *options.flops_per_second);
  else
    fmt::print(
        "Work is in flops: a replay runs them at the speed of each host (--flops-per-second gives them "
        "a time)\n");
}

}  // namespace

void add_trace_import(CLI::App& trace_command) {
  CLI::App* command = trace_command.add_subcommand(
      "import",
      "Converts another tool's trace into one like those of `finegrain record -- mpirun`. These\n"
      "subcommands take it: trace info, show, diff and verify, compare, replay and graph.\n"
      "  ti:   SimGrid's time-independent traces (smpirun -trace-ti): the list of the ranks' files, or one\n"
      "        file of all ranks.\n"
      "  otf2: the anchor file of an archive that Score-P or EZTrace wrote.\n"
      "  goal: a schedule in GOAL's text form, as Schedgen writes it for LogGOPSim, or in the binary form\n"
      "        that LogGOPSim and ATLAHS simulate.\n"
      "A message on stderr names what the other format does not hold: docs/formats.md.");
  const auto options = std::make_shared<ImportOptions>();
  command->add_option("TRACE", options->path, "What the other tool wrote")->required();
  command->add_option("--out", options->out, "New folder")->required();
  command
      ->add_option(
          "--format", options->format,
          "ti, otf2 or goal. Default: otf2 of a file NAME.otf2, goal of NAME.goal and of what begins "
          "as a schedule, else ti")
      ->check(CLI::IsMember({"ti", "otf2", "goal"}));
  command
      ->add_option(
          "--flops-per-second", options->flops_per_second,
          "Flops that a rank computes per second: time-independent traces count flops. Default: a replay "
          "runs them at the speed of each host")
      ->check(number_between(1, 1e18));
  command->footer(
      "Example: smpirun -np 16 -hostfile hosts -platform cluster.xml -trace-ti --cfg=tracing/filename:ti.txt "
      "./code\n"
      "         finegrain trace import ti.txt --out trace");
  command->callback([options] { run_import(*options); });
}

}  // namespace finegrain::cli
