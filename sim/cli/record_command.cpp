// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "sim/cli/commands.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/launcher.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/record_program.hpp"
#include "sim/cli/recording_claim.hpp"
#include "sim/cli/workload.hpp"
#include "sim/policy/idle_ranks.hpp"
#include "sim/policy/policy.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

struct RecordFlags {
  std::optional<int> ranks;
  int threads_per_rank = 1;
  std::optional<int> ranks_per_node;
  std::int64_t iterations = 10;
  int warmup_iterations = 2;
  std::string out;
  bool force = false;
  std::string format = "table";
  std::string resolution = "1ns";
  bool no_check = false;
  bool dry_run = false;
  LauncherFlags launcher;
  std::optional<int> nodes;
  VariantOptions variant;
  std::string problem;  ///< the value of the pattern's flag
  std::map<std::string, std::string> settings;
};

/// A kernel's own flags: what was given here is given to it.
class Arguments {
 public:
  template <class Value>
  void add(const std::string& flag, const Value& value) {
    words_.insert(words_.end(), {flag, fmt::format("{}", value)});
  }
  template <class Value>
  void add(const char* flag, const std::optional<Value>& value) {
    if (value) add(flag, *value);
  }
  void add(const char* flag) { words_.emplace_back(flag); }
  std::vector<std::string> words() && { return std::move(words_); }

 private:
  std::vector<std::string> words_;
};

std::string shared_heap_variable(std::int64_t size_bytes) {
  return fmt::format("UPCXX_SHARED_HEAP_SIZE={}MB", (size_bytes >> 20) + 1);
}

std::int64_t resolution_ns(const RecordFlags& options) {
  const double nanoseconds = std::round(1e9 * parse_time_s(options.resolution, "--resolution"));
  if (nanoseconds < 1 || nanoseconds > 1e9) {
    throw InputError("--resolution", fmt::format("{} is not between 1ns and 1s", options.resolution),
                     "Give e.g. 1us");
  }
  return static_cast<std::int64_t>(nanoseconds);
}

/// @param shared_bytes  the memory that a rank of a UPC++ kernel needs
void record(const RecordFlags& options, const policy::KernelBinary& kernel, std::int64_t shared_bytes,
            Arguments arguments) {
  for (const std::string& argument : kernel.arguments)
    arguments.add(argument.c_str());
  arguments.add("--iterations", options.iterations);
  arguments.add("--warmup", options.warmup_iterations);
  arguments.add("--record", options.out);
  if (options.force) arguments.add("--force");
  arguments.add("--resolution-ns", resolution_ns(options));
  arguments.add("--ranks-per-node", options.ranks_per_node);
  if (options.no_check) arguments.add("--no-check");
  arguments.add("--format", options.format);
  if (!options.dry_run && stderr_is_terminal()) arguments.add("--progress");
  LaunchedRun run{.ranks = options.ranks.value_or(cores_here()),
                  .threads_per_rank = options.threads_per_rank,
                  .binary = kernel.binary,
                  .arguments = std::move(arguments).words(),
                  .launcher = launcher_of(options.launcher, kernel.is_upcxx),
                  .environment = {},
                  .nodes = options.nodes,
                  .hostfile = options.launcher.hostfile,
                  .here = !options.dry_run,
                  .launcher_words = launcher_words(options.launcher)};
  if (kernel.is_upcxx && std::getenv("UPCXX_SHARED_HEAP_SIZE") == nullptr)
    run.environment.push_back(shared_heap_variable(shared_bytes));
  const CommandLine command = launch_command(run);
  if (options.dry_run) {
    fmt::print("{}\n", shell_quoted(command));
    return;
  }
  const RecordingClaim claim(options.out);
  // The kernel has said what is wrong, so there is nothing to add but its exit code.
  if (const int exit_code = run_command(command); exit_code != 0) std::exit(exit_code);
}

/// For what the runtime itself keeps there, lists, and the allocator's losses.
std::int64_t with_spare(std::int64_t bytes) {
  return bytes + bytes / 16 + (std::int64_t{32} << 20);
}

void add_common_options(CLI::App& command, RecordFlags& options) {
  add_variant_options(command, options.variant);
  command.add_option("--ranks", options.ranks, "Ranks (default: one a core)");
  command.add_option("--threads", options.threads_per_rank, "OpenMP threads a rank")->capture_default_str();
  command.add_option("--ranks-per-node", options.ranks_per_node,
                     "Count messages as if each node held this many ranks. Default: as the ranks run");
  command.add_option("--iterations", options.iterations, "Iterations to record")
      ->check(at_least_one())
      ->capture_default_str();
  command.add_option("--warmup", options.warmup_iterations, "Iterations before them, not recorded")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  command.add_option("--out", options.out, "New folder for the trace")->required();
  command.add_flag("--force", options.force, "Replace a trace that the folder holds");
  command
      .add_option(
          "--resolution", options.resolution,
          "Round times down to multiples of this. With 1us, the trace has a third to a half of its size")
      ->capture_default_str();
  command.add_flag("--no-check", options.no_check, "Do not compare with the sequential result");
  command.add_flag("--dry-run", options.dry_run,
                   "Only print the command that starts the ranks, for a batch script. It does not look at "
                   "this machine, so it needs --ranks, and it binds every rank to cores of its own");
  add_launcher_options(command, options.launcher);
  command.add_option("--nodes", options.nodes,
                     "Number of nodes, with equally many ranks on each. Default: what the launcher chooses");
  command.add_option("--format", options.format, "Output: table or json")
      ->check(one_of({"table", "json"}))
      ->capture_default_str();
}

void record_pattern(const RecordFlags& options, const pattern::PatternKind& kind) {
  if (options.dry_run && !options.ranks)
    throw InputError("--dry-run",
                     "the number of ranks is missing (it does not follow from this machine's cores)",
                     "Give --ranks");
  const policy::Variant variant = variant_of(options.variant, kind);
  const auto pattern = kind.open(options.problem, "--" + kind.flag());
  const Settings settings = settings_of(options.settings, kind);
  // The kernel checks the layout as well, but only after as many ranks have started. What follows from the
  // ranks is left to it.
  Settings of_axes;
  for (const pattern::Parameter& parameter : kind.parameters())
    if (parameter.is_axis && settings.contains(parameter.name))
      of_axes.insert(*settings.find(parameter.name));
  const int ranks = options.ranks.value_or(cores_here());
  const Run run{.problem = pattern->problem(ranks, of_axes),
                .policy = variant.policy,
                .policy_settings = policy_settings_of(options.settings, variant.policy),
                .transfer = variant.transfer,
                .completion = variant.completion,
                .ranks = ranks};
  for (const std::string& note : policy::idle_ranks_notes({&run, 1}))
    spdlog::warn("{}", note);
  Arguments arguments;
  arguments.add("--" + kind.kernel_flag(), options.problem);
  for (const pattern::Parameter& parameter : kind.parameters())
    if (const std::string& text = options.settings.at(parameter.name); !text.empty())
      arguments.add("--" + parameter.name, text);
  for (const auto& setting : run.policy_settings)
    std::visit([&](const auto& given) { arguments.add("--" + setting.first, given); }, setting.second);
  const pattern::SharedElements elements = kind.shared_elements(run);
  record(options, policy::policy(run).kernel(run),
         with_spare(elements.array_bytes + policy::policy(run).shared_bytes(elements, run)),
         std::move(arguments));
}

void add_pattern(CLI::App& parent, const pattern::PatternKind& kind) {
  auto options = std::make_shared<RecordFlags>();
  auto* command = parent.add_subcommand(kind.name(), kind.kernel_help());
  std::string flags = "--" + kind.flag();  // as in the other subcommands
  if (kind.kernel_flag() != kind.flag()) flags += ",--" + kind.kernel_flag();
  command->add_option(flags, options->problem, kind.kernel_flag_help())->required();
  for (const std::vector<pattern::Parameter>& parameters : {kind.parameters(), policy::policy_parameters()})
    for (const pattern::Parameter& parameter : parameters)
      command->add_option("--" + parameter.name, options->settings[parameter.name], parameter.help);
  add_common_options(*command, *options);
  command->footer("Two-sided programs are MPI + OpenMP, the others UPC++.\n" + kind.kernel_examples());
  command->callback([options, &kind] { record_pattern(*options, kind); });
}

}  // namespace

void add_record_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "record",
      "Records any MPI program, or one of finegrain's kernels. Write the command that starts\n"
      "your program after --; the program stays as it is. Each kernel is a subcommand with flags of its "
      "own.\n"
      "The exit code is the program's, and 1 if it left no trace. Its ranks are recorded on all nodes, also\n"
      "if a script, make or another command starts mpirun.\n"
      "For a kernel it starts the ranks, checks the result against the sequential one, and\n"
      "records every phase and message of every rank, with start and end, into a folder: the trace.\n"
      "Ranks are bound to cores if there are enough. If there are more ranks x threads than cores, the "
      "trace\n"
      "is labelled oversubscribed.");
  const auto program = std::make_shared<RecordedCommand>();
  add_recorded_command(*command, *program);
  command->add_option("--out", program->out, "New folder for its trace")->capture_default_str();
  command->add_flag("--force", program->force, "Replace a trace that the folder holds");
  command
      ->add_option("--call-sites", program->call_sites,
                   "Where in the program each call is made is recorded, up to so many functions that called "
                   "one another, 1 to 32, or none. Default: 20")
      ->check(CLI::Range(1, 32) | CLI::IsMember({"none"}));
  command->add_flag(
      "--patient", program->is_patient,
      "For many more ranks than cores: ranks have a lower priority than mpirun (nice 10), and with Open "
      "MPI those that wait give up their core");
  command->require_subcommand(0, 1);
  command->callback([command, program] {
    if (!command->get_subcommands().empty()) return;
    if (const int exit_code = record_program(*program); exit_code != 0) std::exit(exit_code);
  });
  command->footer(
      "Example: finegrain record --out trace -- mpirun -n 4 ./my_code its arguments\n"
      "Each kernel has its flags: finegrain record spmv --help. Then: finegrain compare --help");
  for (const pattern::PatternKind* kind : pattern::pattern_kinds())
    if (!kind->kernel_flag().empty()) add_pattern(*command, *kind);
}

}  // namespace finegrain::cli
