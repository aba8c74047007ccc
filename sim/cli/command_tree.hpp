// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace finegrain::cli {

/// A subcommand and how it is called, e.g. "finegrain trace info".
struct Command {
  std::string path;
  const CLI::App* app;
};

/// The command and all subcommands below it, each before its own subcommands, in the order of the help.
std::vector<Command> commands_from(const Command& command);

/// What a description says first, up to a full stop, a question mark, a colon or a semicolon.
std::string first_words(const std::string& text);

/// All names of an option as help prints them, e.g. "-h,--help"; of a positional one its name.
std::string names_of(const CLI::Option& option);

/// What an option takes, e.g. " TEXT:{get,put}=get REQUIRED"; empty: nothing. It does not say which other
/// options it excludes: whoever gives both is told so.
std::string value_of(const CLI::Option& option);

/// The values among which an option chooses; empty: any value will do.
std::vector<std::string> choices_of(const CLI::Option& option);

/// The options that help shows, those without a dash first.
std::vector<const CLI::Option*> options_of(const CLI::App& app);

}  // namespace finegrain::cli
