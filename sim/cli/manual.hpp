// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sim/cli/command_tree.hpp"

namespace finegrain::cli {

/// The man page of one subcommand, in the macros of man(7).
std::string man_page(const Command& command);

/// The same as a chapter of the manual, in Markdown. A document that the help names becomes a link.
std::string markdown_chapter(const Command& command);

}  // namespace finegrain::cli
