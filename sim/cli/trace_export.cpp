// SPDX-License-Identifier: MIT
#include "sim/cli/trace_export.hpp"

#include <fmt/format.h>

#include <memory>

#include "traces/time_independent.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain {
namespace {

struct Options {
  std::string trace;
  std::string out;
  std::string format = "ti";
  double flops_per_byte = 1;
};

void run(const Options& options) {
  const Trace trace(options.trace);
  const Schedule schedule = schedule_of(trace);
  write_time_independent(schedule, options.flops_per_byte, options.out);
  fmt::print("{}/trace.txt: {} ranks, {} iterations\n", options.out, schedule.run.ranks,
             schedule.run.iterations);
}

}  // namespace

void add_trace_export(CLI::App& trace_command) {
  CLI::App* command = trace_command.add_subcommand(
      "export", "Writes a recorded run for another tool. ti: SMPI's time-independent trace.");
  const auto options = std::make_shared<Options>();
  command->add_option("TRACE", options->trace, "Folder of a recording, or the file that pack made of it")
      ->required();
  command->add_option("--out", options->out, "Folder to write to; made if it is not there")->required();
  command->add_option("--format", options->format, "ti")->check(CLI::IsMember({"ti"}))->capture_default_str();
  command
      ->add_option("--flops-per-byte", options->flops_per_byte,
                   "What a byte moved over memory counts as: the speed of SMPI's hosts, in flop/s, over the "
                   "memory bandwidth of a core, in B/s")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->footer(
      "Example: finegrain trace export runs/heart --format ti --out ti --flops-per-byte 1.57\n"
      "         smpirun -np 16 -hostfile hosts -platform platforms/hdr_infiniband.xml -replay ti/trace.txt");
  command->callback([options] { run(*options); });
}

}  // namespace finegrain
