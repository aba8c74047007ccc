// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/run/session.hpp"

namespace finegrain::kernels {

/// The options that every kernel has.
struct RunOptions {
  std::int64_t iterations = 10;
  int warmup_iterations = 2;
  std::optional<std::filesystem::path> record_folder;
  bool force = false;              ///< replaces a trace that the folder holds
  std::int64_t resolution_ns = 1;  ///< that of the recorded times
  std::optional<int> ranks_per_node;
  bool check = true;
  std::string format = "table";  ///< or "json"
  bool progress = false;
  std::string completion;  ///< empty where the program has no choice
};

/// An option of a program, described without CLI11's header, which takes seconds to compile. The value
/// pointed to is the default.
struct Option {
  std::string flag;
  std::variant<int*, std::int64_t*, std::size_t*, double*, bool*, std::string*, std::filesystem::path*,
               std::vector<std::string>*, std::optional<int>*, std::optional<std::int64_t>*>
      value;  ///< bool: a flag without a value; several texts: separated by commas
  std::string help;
  double least = 1;                       ///< smallest number allowed
  double most = 1e9;                      ///< largest number allowed
  std::vector<std::string> choices = {};  ///< allowed texts; none: any text
  bool required = false;
};

/// Parses the command line, which is the same on every rank; rank 0 alone prints help and errors.
/// @throws KernelExit{0} after --help, {2} after wrong usage, on every rank
void parse_options(const Session& session, const std::string& description, const std::vector<Option>& options,
                   int argc, char** argv);

/// Parses the command line of a kernel: its own options, and those that every kernel has.
/// @param completions  that --completion chooses from, the usual one first; none: there is no such flag
/// @throws KernelExit as parse_options() does
void parse_kernel_options(const Session& session, const std::string& description,
                          const std::vector<Option>& own, RunOptions& options,
                          const std::vector<std::string>& completions, int argc, char** argv);

}  // namespace finegrain::kernels
