// SPDX-License-Identifier: MIT
#include "sim/cli/trace_import.hpp"

#include <fmt/format.h>

#include <spdlog/spdlog.h>

#include <memory>
#include <string>

#include "sim/cli/help.hpp"
#include "sim/cli/trace_formats.hpp"
#include "sim/cli/workload.hpp"
#include "traces/formats/format.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

struct ImportFlags {
  std::string path;
  std::string out;
  std::string format;
  formats::ImportOptions how;
};

void run_import(const ImportFlags& flags) {
  const formats::Format& format =
      flags.format.empty() ? formats::recognized_format(flags.path) : formats::format_named(flags.format);
  const std::string foreign = formats::foreign_format(flags.path);
  if (!foreign.empty() && !format.finds_own_errors)
    throw InputError(flags.path, foreign, formats::what_is_read());
  const formats::Import result = format.read(flags.path, flags.out, flags.how);
  for (const std::string& note : result.notes)
    spdlog::warn("{}", note);
  fmt::print("{}: {}, {}, {}\n", printable(flags.out), format_count(result.ranks, "rank"),
             format_count(result.calls, "call"), format_count(result.messages, "message"));
  if (!result.remark.empty()) fmt::print("{}\n", result.remark);
}

/// By what a file's format is known: "otf2 of a file NAME.otf2, ti of others".
std::string recognized_by() {
  std::string text;
  for (const formats::Format& format : formats::all_formats())
    if (format.read != nullptr)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format.name, format.recognized_by);
  return text;
}

}  // namespace

void add_trace_import(CLI::App& trace_command) {
  CLI::App* command = trace_command.add_subcommand(
      "import",
      "Converts another tool's trace into one like those of `finegrain record -- mpirun`. These\n"
      "subcommands take it: trace info, show, diff and verify, compare, replay and graph." +
          list_of_formats(Direction::read) +
          "\nA message on stderr names what the other format does not hold: docs/formats.md.");
  const auto flags = std::make_shared<ImportFlags>();
  command->add_option("TRACE", flags->path, "What the other tool wrote")->required();
  command
      ->add_option("--out", flags->out,
                   "New folder; or NAME.tar for one file, as trace pack makes it: sooner for many ranks")
      ->required();
  const std::vector<std::string> names = names_of_formats(Direction::read);
  command->add_option("--format", flags->format, names_in_words(names) + ". Default: " + recognized_by())
      ->check(one_of(names));
  command
      ->add_option(
          "--flops-per-second", flags->how.flops_per_second,
          "Flops that a rank computes per second: time-independent traces count flops. Default: a replay "
          "runs them at the speed of each host")
      ->check(number_between(1, 1e18));
  command->footer(
      "Example: smpirun -np 16 -hostfile hosts -platform cluster.xml -trace-ti --cfg=tracing/filename:ti.txt "
      "./code\n"
      "         finegrain trace import ti.txt --out trace");
  command->callback([flags] { run_import(*flags); });
}

}  // namespace finegrain::cli
