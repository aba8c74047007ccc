// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/run/session.hpp"

namespace CLI {
class App;  // its header takes seconds to compile, which most programs need not
}

namespace finegrain::kernels {

/// The options that every kernel has.
struct RunOptions {
  std::int64_t iterations = 10;
  int warmup_iterations = 2;
  std::optional<std::filesystem::path> record_folder;
  bool force = false;              ///< replaces a trace that the folder holds
  std::int64_t resolution_ns = 1;  ///< of the times that are recorded
  std::optional<int> ranks_per_node;
  bool check = true;
  std::string format = "table";  ///< or "json"
  bool progress = false;
  std::string completion;  ///< empty where the program has no choice
};

/// The options live as long as the app.
/// @param completions  that --completion chooses from, the usual one first; none: there is no such flag
void add_run_options(CLI::App& app, RunOptions& options, const std::vector<std::string>& completions = {});

/// An option of a program that has few of them. Its value is the default.
struct Option {
  std::string flag;
  std::variant<int*, std::int64_t*, std::size_t*, double*, bool*, std::string*, std::filesystem::path*,
               std::vector<std::string>*>
      value;  ///< bool: a flag without a value; several texts: with commas between
  std::string help;
  double least = 1;                       ///< of a number
  double most = 1e9;                      ///< of a number
  std::vector<std::string> choices = {};  ///< of a text; none: any
};

/// Parses the command line as parse_command_line() does, without CLI11's header.
/// @throws KernelExit as parse_command_line() does
void parse_options(const Session& session, const std::string& description, const std::vector<Option>& options,
                   int argc, char** argv);

/// Parses the command line, which is the same on every rank; rank 0 alone prints help and errors.
/// @throws KernelExit{0} after --help, {2} after wrong usage, on every rank
void parse_command_line(const Session& session, CLI::App& app, int argc, char** argv);

}  // namespace finegrain::kernels
