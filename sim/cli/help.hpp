// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace finegrain::cli {

/// Help as wide as the terminal: of an option its flag, its type and what it is; of a subcommand, where they
/// are listed, the first sentence. The whole command's help is one line for each subcommand, with its group
/// before the first of them. An app's subcommands take over its formatter when they are added.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* subcommand) const override;
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// Adds `help SUBCOMMAND...`, the same as `SUBCOMMAND... --help`; also as man pages, and as chapters of the
/// manual.
void add_help_command(CLI::App& app);

/// Wrong usage in one line: what is wrong, the flag or subcommand that was probably meant, and whose help
/// says more.
std::string explain_usage(const CLI::App& app, const CLI::Error& error);

}  // namespace finegrain::cli
