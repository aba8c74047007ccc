// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/interruption.hpp"
#include "sim/cli/run_words.hpp"
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

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  set_up_log();
  finegrain::cli::end_on_signals();
  return finegrain::cli::run_words({argv + std::min(argc, 1), argv + argc});
}
