// SPDX-License-Identifier: MIT
#include "sim/cli/run_words.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <utility>

#include "sim/cli/commands.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/interruption.hpp"
#include "sim/cli/platform_options.hpp"
#include "sim/cli/version.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"

namespace finegrain::cli {
namespace {

/// @throws InputError if what was printed did not arrive
void flush_output() {
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw InputError("standard output", "cannot be written (is the disk full?)", "Send it elsewhere");
}

using AddCommand = void (*)(CLI::App&);

/// Adds the subcommands, in the groups in which the help lists them. One that is named is added alone: that
/// takes a tenth of the time.
void add_commands(CLI::App& app, const std::string& named) {
  const std::vector<std::pair<const char*, std::vector<std::pair<const char*, AddCommand>>>> groups{
      {"prepare",
       {{"mesh", add_mesh_command},
        {"calibrate", add_calibrate_command},
        {"record", add_record_command},
        {"trace", add_trace_command},
        {"platform", add_platform_command}}},
      {"predict",
       {{"compare", add_compare_command},
        {"report", add_report_command},
        {"explore", add_explore_command},
        {"replay", add_replay_command},
        {"predict", add_predict_command}}},
      {"choose",
       {{"tune", add_tune_command},
        {"sensitivity", add_sensitivity_command},
        {"study", add_study_command},
        {"diff", add_diff_command},
        {"gate", add_gate_command}}},
      {"look into",
       {{"schedule", add_schedule_command},
        {"graph", add_graph_command},
        {"validate", add_validate_command}}}};
  for (const auto& [group, commands] : groups)
    for (const auto& [name, add] : commands)
      if (name == named) return add(app);
  for (const auto& [group, commands] : groups) {
    for (const auto& [name, add] : commands) {
      add(app);
      app.get_subcommand(name)->group(group);
    }
  }
  for (const AddCommand add : {add_help_command, add_completion_command}) {
    add(app);
    app.get_subcommands([](const CLI::App*) { return true; }).back()->group("");
  }
}

}  // namespace

int run_words(const std::vector<std::string>& words) {
  CLI::App app{"What would a run cost on another machine? Usage: finegrain SUBCOMMAND [FLAGS]"};
  app.name("finegrain");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("-V,--version", fmt::format("{}\nbuilt with {}\nUPC++ kernels: {}", version(),
                                                   libraries(), upcxx_version()));
  app.set_help_all_flag("--help-all", "Print all options and exit");  // subcommands take it over
  app.require_subcommand(1);
  app.failure_message([&app, &words](const CLI::App*, const CLI::Error& error) {
    return printable(explain_usage(app, error, words)) + '\n';
  });
  add_commands(app, words.empty() ? "" : words.front());
  // After them, for they would take it over.
  app.footer("More: help replay, completion bash, -V. Exit: 0 done, 1 failed, 2 wrong usage.");

  try {
    try {
      std::vector<std::string> last_first(words.rbegin(), words.rend());  // as CLI11 takes them
      app.parse(std::move(last_first));
    } catch (const CLI::Success& success) {
      app.exit(success);
    }
    flush_output();
  } catch (const CLI::RuntimeError& error) {  // a command that ends with a code of its own
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return 2;
  } catch (const InputError& error) {
    complain(fmt::format("finegrain: {}", with_own_files(error.what())));
    return 1;
  } catch (const std::filesystem::filesystem_error& error) {
    complain(fmt::format(
        "finegrain: {}: cannot be used ({}). Check that its folder is there, and that you may use it",
        error.path1().string(), error.code().message()));
    return 1;
  } catch (const std::bad_alloc&) {
    complain("finegrain: out of memory. Use a smaller problem or fewer ranks");
    return 1;
  } catch (const std::exception& error) {
    complain(fmt::format("finegrain: {}", error.what()));
    return 1;
  }
  return 0;
}

}  // namespace finegrain::cli
