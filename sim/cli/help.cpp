// SPDX-License-Identifier: MIT
#include "sim/cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <regex>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/cli/answer.hpp"
#include "sim/cli/command_tree.hpp"
#include "sim/cli/manual.hpp"
#include "sim/output/text_lines.hpp"
#include "sim/output/text_table.hpp"
#include "traces/io/nearest.hpp"

namespace finegrain::cli {
namespace {

constexpr std::size_t left_column = 30;

/// The help of a command with many flags shows the first ten that it has of these.
constexpr std::array usual_flags = {
    "--trace",     "--matrix", "--heat",     "--policy",   "--ranks",     "--ranks-per-node",
    "--platform",  "--job",    "--explain",  "--rank",     "--to",        "--factors",
    "--until",     "--pairs",  "--memory",   "--by-rank",  "--timeline",  "--critical-path",
    "--objective", "--budget", "--database", "--simulate", "--out",       "--per-rank",
    "--format",    "--nodes",  "--table",    "--order",    "--iterations"};

std::size_t help_width() {
  constexpr std::size_t least = 60;
  return std::max(terminal_width().value_or(output::usual_width), least);
}

/// Words in lines, each after the first line's indent.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = help_width()) {
  return fmt::format("{}",
                     fmt::join(output::in_lines(text, width - indent, ""), '\n' + std::string(indent, ' ')));
}

/// The words of a command. What stands in quotes is one word.
std::vector<std::string> words_of(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  for (const char letter : command) {
    if (quote == 0 && (letter == '\'' || letter == '"'))
      quote = letter;
    else if (letter == quote)
      quote = 0;
    if (letter != ' ' || quote != 0)
      word += letter;
    else if (!word.empty())
      words.push_back(std::exchange(word, ""));
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

/// A long name with its values, broken after commas.
std::string broken_after_commas(const std::string& text) {
  std::vector<std::string> pieces;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    end = std::min(text.find(',', begin), text.size() - 1) + 1;
    pieces.push_back(text.substr(begin, end - begin));
  }
  return fmt::format("{}", fmt::join(output::in_lines(pieces, help_width(), "      ", ""), "\n"));
}

std::string in_two_columns(const std::string& left, const std::string& right) {
  std::string line = broken_after_commas("  " + left);
  if (right.empty()) return line + '\n';
  if (line.size() + 1 > left_column)
    line += '\n' + std::string(left_column, ' ');
  else
    line.resize(left_column, ' ');
  return line + wrapped(right, left_column) + '\n';
}

std::size_t count_flags(const CLI::App& app) {
  return static_cast<std::size_t>(std::ranges::count_if(options_of(app), &CLI::Option::nonpositional));
}

/// The options that people use most, where there are many; empty: there are few.
std::vector<const CLI::Option*> usual_options(const CLI::App& app) {
  constexpr std::size_t few = 20;
  constexpr std::size_t most_usual = 10;
  std::vector<const CLI::Option*> usual;
  if (count_flags(app) <= few) return usual;
  for (const char* const flag : usual_flags)
    if (const CLI::Option* option = app.get_option_no_throw(flag); option && usual.size() < most_usual)
      usual.push_back(option);
  return usual;
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      flags.push_back("--" + name);
  return flags;
}

std::vector<std::string> subcommands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(subcommand->get_name());
  return names;
}

/// "--tets: 1e9 is not a whole number (from 1 to 100)" instead of "--tets: Value 1e9 not in range 1 to 100";
/// empty: it is one, or the range has other numbers in it.
std::string not_whole(const std::string& problem) {
  static const std::regex out_of_range(R"((.*: )Value (\S+) not in range (-?\d+) to (-?\d+))");
  std::smatch words;
  if (!std::regex_match(problem, words, out_of_range)) return {};
  const std::string value = words[2];
  if (value.find_first_not_of("0123456789", value.starts_with('-') ? 1 : 0) == std::string::npos) return {};
  return fmt::format("{}{} is not a whole number (from {} to {})", words[1].str(), value, words[3].str(),
                     words[4].str());
}

/// CLI11's words in plainer ones.
std::string in_plain_words(const std::string& problem) {
  const std::string not_converted = "Could not convert: ";
  if (problem.starts_with(not_converted))
    return CLI::detail::find_and_replace(problem.substr(not_converted.size()), " = ", ": ") +
           " is no number that it takes";
  if (std::string whole = not_whole(problem); !whole.empty()) return whole;
  if (problem.find(" required ") != std::string::npos && problem.ends_with(" missing"))
    return problem.substr(0, problem.find(": ")) + " needs a value";
  return problem;
}

/// Names the option as the user did: by its letter, where that was typed.
std::string as_typed(const std::string& problem, const CLI::App& app, const std::vector<std::string>& words) {
  const auto typed = [&](const std::string& flag) {
    return std::ranges::any_of(words, [&](const std::string& word) { return word.starts_with(flag); });
  };
  for (const CLI::Option* option : app.get_options())
    for (const std::string& letter : option->get_snames())
      for (const std::string& name : option->get_lnames())
        if (problem.starts_with("--" + name) && !typed("--" + name) && typed("-" + letter))
          return '-' + letter + problem.substr(2 + name.size());
  return problem;
}

}  // namespace

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string best = nearest(word, known);
  return best.empty() ? best : fmt::format(". Did you mean {}?", best);
}

CLI::Validator one_of(const std::vector<std::string>& values) {
  return {[values](const std::string& value) {
            if (std::ranges::find(values, value) != values.end()) return std::string();
            return fmt::format("{} is none of {}{}", value, fmt::join(values, ", "),
                               suggestion(value, values));
          },
          fmt::format("{{{}}}", fmt::join(values, ",")), "one of"};
}

std::string broken_command(const std::string& line, std::size_t width) {
  constexpr std::string_view intro = "Example: ";
  const std::size_t first = line.starts_with(intro) ? intro.size() : line.find_first_not_of(' ');
  if (line.size() <= width || first == std::string::npos) return line;
  std::vector<std::string> words = words_of(std::string_view(line).substr(first));
  const bool goes_on = words.back() == "\\";
  if (goes_on) words.pop_back();
  const std::string_view indentation = line[first] == '-' ? "" : "  ";  // a line before has that already
  const std::vector<std::string> lines = output::in_lines(words, width - first - 2, indentation);
  return fmt::format("{}{}{}", line.substr(0, first), fmt::join(lines, " \\\n" + std::string(first, ' ')),
                     goes_on ? " \\" : "");
}

std::string in_lines(const std::string& text, std::size_t width, Indented indented) {
  std::string lines;
  std::string prose;
  const auto end_prose = [&] {
    if (!prose.empty()) lines += wrapped(std::exchange(prose, ""), 0, width) + '\n';
  };
  for (const std::string& line : CLI::detail::split(text, '\n')) {
    const bool is_kept = line.empty() || line.starts_with(' ') || line.starts_with("Example: ");
    if (!is_kept) {
      prose += (prose.empty() ? "" : " ") + line;
      continue;
    }
    end_prose();
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (indented == Indented::commands || line.size() <= width)
      lines += broken_command(line, width) + '\n';
    else
      lines += line.substr(0, indent) + wrapped(line.substr(indent), indent, width) + '\n';
  }
  end_prose();
  lines.erase(lines.find_last_not_of('\n') + 1);
  return lines;
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  const std::string description =
      in_lines(CLI::Formatter::make_description(app), help_width(), Indented::items);
  return description.empty() ? description : description + '\n';
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  const std::string footer = in_lines(app->get_footer(), help_width(), Indented::commands);
  return footer.empty() ? footer : footer + '\n';
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool /*is_positional*/) const {
  return in_two_columns(names_of(*option) + value_of(*option), make_option_desc(option));
}

std::string HelpFormatter::make_subcommands(const CLI::App* app, CLI::AppFormatMode /*mode*/) const {
  return CLI::Formatter::make_subcommands(app, CLI::AppFormatMode::Normal);
}

std::string HelpFormatter::make_subcommand(const CLI::App* subcommand) const {
  return in_two_columns(subcommand->get_name(), first_words(subcommand->get_description()));
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  if (app->get_parent() != nullptr) {
    const std::vector<const CLI::Option*> usual = usual_options(*app);
    if (mode == CLI::AppFormatMode::All || usual.empty()) return CLI::Formatter::make_help(app, name, mode);
    return make_description(app) + make_usage(app, name) + make_positionals(app) +
           make_group("Options", false, usual) +
           fmt::format("\n{} more options: --help-all\n", count_flags(*app) - usual.size()) +
           make_subcommands(app, mode) + '\n' + make_footer(app);
  }
  std::string help = wrapped(app->get_description(), 0) + '\n';
  std::string group;
  for (const CLI::App* subcommand : app->get_subcommands([](const CLI::App*) { return true; })) {
    if (subcommand->get_group().empty()) continue;
    const bool is_new = subcommand->get_group() != group;
    group = subcommand->get_group();
    const std::string names = fmt::format("{:<9} {:<12} ", is_new ? group : "", subcommand->get_name());
    help += names + wrapped(first_words(subcommand->get_description()), names.size()) + '\n';
  }
  return help + make_footer(app);
}

void add_help_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("help",
                                         "Shows the help of a subcommand. With --all all of its flags, and "
                                         "its own subcommands one after the other.");
  const auto names = std::make_shared<std::vector<std::string>>();
  const auto all = std::make_shared<bool>(false);
  const auto format = std::make_shared<std::string>("text");
  command->add_option("SUBCOMMAND", *names, "Subcommand, e.g. replay, or trace info")->expected(0, -1);
  command->add_flag("--all", *all,
                    "All flags, and the subcommands below it; without SUBCOMMAND, all of them");
  command->add_option("--format", *format, "Output: text, a man page, or a chapter in Markdown")
      ->check(one_of({"text", "man", "markdown"}))
      ->capture_default_str();
  command->callback([&app, names, all, format] {
    Command asked{app.get_name(), &app};
    for (const std::string& name : *names) {
      const std::vector<std::string> known = subcommands_of(*asked.app);
      if (std::ranges::find(known, name) == known.end())
        throw CLI::ValidationError(
            fmt::format("{} has no subcommand {}{}", asked.path, name, suggestion(name, known)));
      asked = {asked.path + ' ' + name, asked.app->get_subcommand(name)};
    }
    for (const Command& one : *all ? commands_from(asked) : std::vector<Command>{asked}) {
      if (*format == "man")
        fmt::print("{}", man_page(one));
      else if (*format == "markdown")
        fmt::print("{}", markdown_chapter(one));
      else
        fmt::print("{}", one.app->get_formatter()->make_help(
                             one.app, one.path, *all ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal));
    }
  });
}

std::string explain_usage(const CLI::App& app, const CLI::Error& error,
                          const std::vector<std::string>& words) {
  // There was such a command, before predict had the flag.
  if (!words.empty() && words.front() == "explain")
    return "finegrain: explain is now predict --explain. See finegrain predict --help";
  const CLI::App* called = &app;
  std::string path = app.get_name();
  while (!called->get_subcommands().empty()) {
    called = called->get_subcommands().front();
    path += ' ' + called->get_name();
  }
  const std::vector<std::string> extras = app.remaining(true);
  std::string problem = as_typed(in_plain_words(error.what()), *called, words);
  // What is not known explains why something else is missing.
  if ((dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
       dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) &&
      !extras.empty()) {
    const bool is_flag = extras.front().starts_with('-');
    problem =
        fmt::format("{} is no {} of {}{}", extras.front(), is_flag ? "flag" : "argument or subcommand", path,
                    suggestion(extras.front(), is_flag ? flags_of(*called) : subcommands_of(*called)));
  }
  const bool is_sentence = problem.ends_with('?') || problem.ends_with('.');
  return fmt::format("finegrain: {}{} See {} --help", problem, is_sentence ? "" : ".", path);
}

}  // namespace finegrain::cli
