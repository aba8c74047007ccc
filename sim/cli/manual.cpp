// SPDX-License-Identifier: MIT
#include "sim/cli/manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sim/cli/help.hpp"
#include "sim/cli/version.hpp"

namespace finegrain::cli {
namespace {

/// Text that man(7) prints as it is: no backslash escapes, no dash becomes a hyphen, and no line is a
/// request.
std::string as_roff(const std::string& text) {
  std::string roff;
  bool line_begins = true;
  for (const char letter : text) {
    if (line_begins && (letter == '.' || letter == '\'')) roff += "\\&";
    if (letter == '\\')
      roff += "\\e";
    else if (letter == '-')
      roff += "\\-";
    else
      roff += letter;
    line_begins = letter == '\n';
  }
  return roff;
}

std::string page_name(std::string path) {
  std::ranges::replace(path, ' ', '-');
  return path;
}

/// A text in which the document "docs/NAME.md" is a link to its page. (<regex> would take seconds to
/// compile.)
std::string with_links(std::string_view text) {
  constexpr std::string_view folder = "docs/";
  constexpr std::string_view ending = ".md";
  std::string linked;
  for (std::size_t found = text.find(folder); found != std::string_view::npos; found = text.find(folder)) {
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", found + folder.size());
    const std::string_view name = text.substr(found + folder.size(), end - found - folder.size());
    linked += text.substr(0, found);
    text.remove_prefix(std::min(end, text.size()));
    if (!name.empty() && text.starts_with(ending)) {
      linked += fmt::format("[{0}]({0}.md)", name);
      text.remove_prefix(ending.size());
    } else {
      linked += fmt::format("{}{}", folder, name);
    }
  }
  return linked.append(text);
}

/// Text that Markdown prints as it is, but for code between backticks and the documents that it names.
std::string as_markdown(const std::string& text) {
  std::string escaped;
  bool code = false;
  for (const char letter : text) {
    if (letter == '`') code = !code;
    const bool special =
        letter == '|' || (!code && std::string_view("\\*_<>[]").find(letter) != std::string_view::npos);
    if (special) escaped += '\\';
    escaped += letter == '\n' ? ' ' : letter;
  }
  return with_links(escaped);
}

using Escape = std::string (*)(const std::string&);

std::string as_it_is(const std::string& text) {
  return text;
}

/// A text's lines: those that begin with a space keep their form, between the two marks; the others are
/// running text.
std::string in_blocks(const std::string& text, Escape running, Escape kept, const char* begin,
                      const char* end) {
  std::string blocks;
  bool is_kept = false;
  for (const std::string& line : CLI::detail::split(text, '\n')) {
    if (line.starts_with(' ') != is_kept) blocks += is_kept ? end : begin;
    is_kept = line.starts_with(' ');
    blocks += (is_kept ? kept(line) : running(line)) + '\n';
  }
  return is_kept ? blocks + end : blocks;
}

std::string usage_of(const Command& command) {
  std::string usage = CLI::Formatter().make_usage(command.app, command.path);
  usage.erase(0, usage.find(' ') + 1);
  usage.erase(usage.find_last_not_of('\n') + 1);
  return usage;
}

}  // namespace

std::string man_page(const Command& command) {
  const CLI::App& app = *command.app;
  const std::string name = page_name(command.path);
  std::string page = fmt::format(
      ".TH {} 1 \"\" \"{}\" \"finegrain manual\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n.SH DESCRIPTION\n",
      name, version(), name, as_roff(first_words(app.get_description())), as_roff(usage_of(command)));
  page += in_blocks(app.get_description(), as_roff, as_roff, ".nf\n", ".fi\n") + ".SH OPTIONS\n";
  for (const CLI::Option* option : options_of(app))
    page += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", as_roff(names_of(*option)), as_roff(value_of(*option)),
                        as_roff(option->get_description()));
  const std::vector<Command> all = commands_from(command);
  if (all.size() > 1) page += ".SH SUBCOMMANDS\n";
  for (std::size_t i = 1; i < all.size(); ++i)
    page += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", as_roff(page_name(all[i].path)),
                        as_roff(first_words(all[i].app->get_description())));
  constexpr std::size_t width = 73;  // man indents a line by seven columns
  if (!app.get_footer().empty())
    page += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n",
                        as_roff(in_lines(app.get_footer(), width, Indented::commands)));
  return page;
}

std::string markdown_chapter(const Command& command) {
  const CLI::App& app = *command.app;
  std::string chapter = fmt::format("## {}\n\n", command.path);
  chapter += in_blocks(app.get_description(), as_markdown, as_it_is, "\n```text\n", "```\n\n");
  chapter += fmt::format("\n```text\n{}\n```\n\n| option | meaning |\n|---|---|\n", usage_of(command));
  for (const CLI::Option* option : options_of(app))
    chapter += fmt::format("| `{}` | {} |\n",
                           CLI::detail::find_and_replace(names_of(*option) + value_of(*option), "|", "\\|"),
                           as_markdown(option->get_description()));
  if (!app.get_footer().empty()) chapter += fmt::format("\n```text\n{}\n```\n", app.get_footer());
  return chapter + '\n';
}

}  // namespace finegrain::cli
