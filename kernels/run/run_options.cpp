// SPDX-License-Identifier: MIT
#include "kernels/run/run_options.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <sstream>
#include <type_traits>

namespace finegrain::kernels {
namespace {

constexpr std::int64_t most_iterations = 1'000'000'000;
constexpr std::int64_t coarsest_resolution_ns = 1'000'000'000;

void add_run_options(CLI::App& app, RunOptions& options, const std::vector<std::string>& completions) {
  if (!completions.empty()) {
    options.completion = completions.front();
    app.add_option("--completion", options.completion,
                   "wait for each transfer, or start all together and wait once")
        ->check(CLI::IsMember(completions))
        ->capture_default_str();
  }
  app.add_option("--iterations", options.iterations, "timed iterations")
      ->check(CLI::Range(std::int64_t{1}, most_iterations))
      ->capture_default_str();
  app.add_option("--warmup", options.warmup_iterations, "iterations before the timed ones, not recorded")
      ->check(CLI::Range(std::int64_t{0}, most_iterations))
      ->capture_default_str();
  app.add_option("--record", options.record_folder, "record every message into this new folder");
  app.add_flag("--force", options.force, "replace a trace that the folder holds");
  app.add_option("--resolution-ns", options.resolution_ns, "recorded times are multiples of this many ns")
      ->check(CLI::Range(std::int64_t{1}, coarsest_resolution_ns))
      ->capture_default_str();
  app.add_option("--ranks-per-node", options.ranks_per_node,
                 "count ranks as on nodes of this many (default: where they are)");
  app.add_flag("!--no-check", options.check, "leave out the comparison with the sequential result");
  app.add_option("--format", options.format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  app.add_flag("--progress", options.progress, "say on stderr, once a second, how many iterations are done");
  app.footer(
      "finegrain record starts it; by hand: mpirun or, with a real UPC++, upcxx-run. OMP_NUM_THREADS is the\n"
      "number of threads a rank.\n"
      "Exit codes: 0 ok, 1 bad input or failed check, 2 wrong usage.");
}

void add_options(CLI::App& app, const std::vector<Option>& options) {
  for (const Option& option : options) {
    std::visit(
        [&](auto* value) {
          using Value = std::remove_pointer_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, bool>) {
            app.add_flag(option.flag, *value, option.help);
          } else {
            CLI::Option* added = app.add_option(option.flag, *value, option.help)->required(option.required);
            if constexpr (std::is_arithmetic_v<Value>)
              added->check(CLI::Range(static_cast<Value>(option.least), static_cast<Value>(option.most)));
            else if (!option.choices.empty())
              added->check(CLI::IsMember(option.choices));
            if constexpr (std::is_same_v<Value, std::vector<std::string>>) added->delimiter(',');
            if (std::is_arithmetic_v<Value> || *value != Value()) added->capture_default_str();
          }
        },
        option.value);
  }
}

void parse_command_line(const Session& session, CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream silent;
    const int code = session.is_first() ? app.exit(error) : app.exit(error, silent, silent);
    std::cout.flush();
    session.barrier();
    throw KernelExit{code == 0 ? 0 : 2};
  }
}

}  // namespace

void parse_options(const Session& session, const std::string& description, const std::vector<Option>& options,
                   int argc, char** argv) {
  CLI::App app{description};
  add_options(app, options);
  parse_command_line(session, app, argc, argv);
}

void parse_kernel_options(const Session& session, const std::string& description,
                          const std::vector<Option>& own, RunOptions& options,
                          const std::vector<std::string>& completions, int argc, char** argv) {
  CLI::App app{description};
  add_options(app, own);
  add_run_options(app, options, completions);
  parse_command_line(session, app, argc, argv);
}

}  // namespace finegrain::kernels
