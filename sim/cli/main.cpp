// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "sim/cli/commands.hpp"
#include "sim/cli/subprocess.hpp"
#include "sim/cli/version.hpp"
#include "traces/io/input_error.hpp"

namespace {

/// @throws InputError if what was printed did not arrive
void flush_output() {
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw finegrain::InputError("standard output: cannot be written (is the disk full?). Send it elsewhere");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace finegrain;
  spdlog::set_default_logger(spdlog::stderr_color_mt("finegrain"));
  spdlog::set_pattern("%v");

  CLI::App app{
      "finegrain predicts what an irregular parallel code costs on another machine, node count, BLOCKSIZE or "
      "way of\n"
      "communicating: measured (a recorded run) | simulated (SimGrid replay) | closed form (the papers' "
      "equations)."};
  app.name("finegrain");
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  app.footer(
      "Start here: finegrain mesh --help, then record, compare. Exit codes: 0 ok, 1 bad input or failed run, "
      "2 wrong usage.");
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("finegrain: {}. See finegrain --help\n", error.what());
  });
  add_mesh_command(app);
  add_calibrate_command(app);
  add_record_command(app);
  add_compare_command(app);
  add_report_command(app);
  add_schedule_command(app);
  add_graph_command(app);
  add_predict_command(app);
  add_explain_command(app);
  add_replay_command(app);
  add_study_command(app);
  add_tune_command(app);
  add_validate_command(app);
  add_trace_command(app);
  add_platform_command(app);

  try {
    app.parse(argc, argv);
    flush_output();
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return 2;
  } catch (const Interrupted& interruption) {
    fmt::print(stderr, "finegrain: {}\n", interruption.what());
    return Interrupted::exit_code;
  } catch (const InputError& error) {
    fmt::print(stderr, "finegrain: {}\n", error.what());
    return 1;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "finegrain: out of memory. Use a smaller problem or fewer ranks\n");
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "finegrain: {}\n", error.what());
    return 1;
  }
  return 0;
}
