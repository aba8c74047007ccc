// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace finegrain::cli {

/// Help as wide as the terminal: of an option its flag, its type and what it is; of a subcommand, where they
/// are listed, the first sentence. Of many options, --help shows the ten that people use, --help-all all. The
/// whole command's help is one line for each subcommand, with its group before the first of them. An app's
/// subcommands take over its formatter when they are added.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override;
  std::string make_subcommand(const CLI::App* subcommand) const override;
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// What lines are that begin with a space or "Example: ".
enum class Indented : std::uint8_t {
  commands,  ///< they go on in a further line after a backslash, as a shell takes them
  items,     ///< a list's
};

/// A description or a footer in lines of this width. Lines that are not indented are running text.
std::string in_lines(const std::string& text, std::size_t width, Indented indented);

/// A command, or a line of an example. If it is too long, it goes on in further lines, as a shell takes them.
std::string broken_command(const std::string& line, std::size_t width);

/// Adds `help SUBCOMMAND...`, the same as `SUBCOMMAND... --help`; also as man pages, and as chapters of the
/// manual.
void add_help_command(CLI::App& app);

/// ". Did you mean X?" with the known word that is most like it; empty: none is.
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

/// Checks that a value is one of these. An error names the nearest of them.
CLI::Validator one_of(const std::vector<std::string>& values);

/// Wrong usage in one line: what is wrong, the flag, subcommand or value that was probably meant, and whose
/// help says more. @param words  those of the command line, as they were typed
std::string explain_usage(const CLI::App& app, const CLI::Error& error,
                          const std::vector<std::string>& words);

}  // namespace finegrain::cli
