// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/core.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>

#include "sim/cli/commands.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/interruption.hpp"
#include "sim/cli/version.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"

namespace {

/// What a line of the log says, made printable.
class PrintablePayload : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
              spdlog::memory_buf_t& out) override {
    const std::string text = finegrain::printable({message.payload.data(), message.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PrintablePayload>();
  }
};

void set_up_log() {
  spdlog::set_default_logger(spdlog::stderr_color_mt("finegrain"));
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintablePayload>('*').set_pattern("%*");
  spdlog::set_formatter(std::move(formatter));
}

/// A file opened later must not get the number of a standard stream that is closed: the stream's text would
/// be written into the file. Nothing can be written to what is opened here, so that is noticed.
void occupy_closed_streams() {
  while (true) {
    const int descriptor = ::open("/dev/null", O_RDONLY);
    if (descriptor < 0) return;
    if (descriptor > STDERR_FILENO) {
      ::close(descriptor);
      return;
    }
  }
}

/// @throws InputError if what was printed did not arrive
void flush_output() {
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw finegrain::InputError("standard output", "cannot be written (is the disk full?)",
                                "Send it elsewhere");
}

/// All subcommands, in the groups in which the help lists them.
void add_commands(CLI::App& app) {
  using namespace finegrain::cli;
  const std::vector<std::pair<const char*, std::vector<void (*)(CLI::App&)>>> groups{
      {"prepare",
       {add_mesh_command, add_calibrate_command, add_record_command, add_trace_command,
        add_platform_command}},
      {"predict",
       {add_compare_command, add_report_command, add_replay_command, add_predict_command,
        add_explain_command}},
      {"choose", {add_tune_command, add_sensitivity_command, add_study_command}},
      {"look into", {add_schedule_command, add_graph_command, add_validate_command}},
      {"", {add_help_command, add_completion_command}}};
  for (const auto& [group, commands] : groups) {
    for (const auto add : commands) {
      add(app);
      app.get_subcommands([](const CLI::App*) { return true; }).back()->group(group);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace finegrain;
  using namespace finegrain::cli;
  occupy_closed_streams();
  set_up_log();
  end_on_signals();

  CLI::App app{"What would a run cost on another machine? Usage: finegrain SUBCOMMAND [FLAGS]"};
  app.name("finegrain");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("-V,--version", fmt::format("{}\nbuilt with {}\nUPC++ kernels: {}", version(),
                                                   libraries(), upcxx_version()));
  app.set_help_all_flag("--help-all", "Print all options and exit");  // subcommands take it over
  app.require_subcommand(1);
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  app.failure_message([&app, &words](const CLI::App*, const CLI::Error& error) {
    return printable(explain_usage(app, error, words)) + '\n';
  });
  add_commands(app);
  // After them, for they would take it over.
  app.footer(
      "Begin with mesh or record, then compare. More: finegrain help replay, finegrain -V,\n"
      "finegrain completion bash. Exit codes: 0 done, 1 bad input or failed run, 2 wrong usage;\n"
      "of record: that of the program.");

  try {
    try {
      app.parse(argc, argv);
    } catch (const CLI::Success& success) {
      app.exit(success);
    }
    flush_output();
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return 2;
  } catch (const InputError& error) {
    complain(fmt::format("finegrain: {}", error.what()));
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
