// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/core.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>

#include "sim/cli/commands.hpp"
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

}  // namespace

int main(int argc, char** argv) {
  using namespace finegrain;
  using namespace finegrain::cli;
  occupy_closed_streams();
  set_up_log();
  end_on_signals();

  CLI::App app{
      "finegrain predicts what an irregular parallel code costs on another machine, node count, BLOCKSIZE or "
      "way of\n"
      "communicating: measured (a recorded run) | simulated (SimGrid replay) | closed form (the papers' "
      "equations)."};
  app.name("finegrain");
  app.set_version_flag("--version", fmt::format("{}\nUPC++ kernels: {}", version(), upcxx_version()));
  app.require_subcommand(1);
  app.footer(
      "Start here: finegrain mesh --help, then record, compare. Exit codes: 0 ok, 1 bad input or failed run, "
      "2 wrong usage.");
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return printable(fmt::format("finegrain: {}. See finegrain --help", error.what())) + '\n';
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
  add_sensitivity_command(app);
  add_validate_command(app);
  add_trace_command(app);
  add_platform_command(app);

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
  } catch (const std::bad_alloc&) {
    complain("finegrain: out of memory. Use a smaller problem or fewer ranks");
    return 1;
  } catch (const std::exception& error) {
    complain(fmt::format("finegrain: {}", error.what()));
    return 1;
  }
  return 0;
}
