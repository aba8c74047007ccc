// SPDX-License-Identifier: MIT
#include "sim/cli/command_tree.hpp"

#include <algorithm>

namespace finegrain::cli {

std::vector<Command> commands_from(const Command& command) {
  std::vector<Command> all{command};
  for (const CLI::App* below : command.app->get_subcommands([](const CLI::App*) { return true; }))
    for (const Command& one : commands_from({command.path + ' ' + below->get_name(), below}))
      all.push_back(one);
  return all;
}

std::string first_words(const std::string& text) {
  constexpr const char* ends = ".?:;";
  for (std::size_t end = text.find_first_of(ends); end != std::string::npos;
       end = text.find_first_of(ends, end + 1))
    if (end + 1 == text.size() || text[end + 1] == ' ' || text[end + 1] == '\n')
      return text.substr(0, text[end] == '?' ? end + 1 : end);
  return text;
}

std::string names_of(const CLI::Option& option) {
  return option.get_positional() ? option.get_name(true, false) : option.get_name(false, true);
}

std::string value_of(const CLI::Option& option) {
  const std::string all = CLI::Formatter().make_option_opts(&option);
  return all.substr(0, all.find(" Excludes:"));
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  std::vector<const CLI::Option*> shown =
      app.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
  std::stable_partition(shown.begin(), shown.end(),
                        [](const CLI::Option* option) { return option->get_positional(); });
  return shown;
}

}  // namespace finegrain::cli
