// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/command_tree.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/help.hpp"

namespace finegrain::cli {
namespace {

/// A word that may be typed, and what it is.
struct Word {
  std::string text;
  std::string meaning;
};

struct Flag {
  std::string name;
  std::string meaning;
  bool takes_value;
  std::vector<std::string> choices;
};

/// What may follow one subcommand: its own subcommands, or the values of what needs no flag; and its flags.
struct Following {
  std::string path;
  std::vector<Word> words;
  std::vector<Flag> flags;
};

std::vector<Following> everything(const CLI::App& app) {
  std::vector<Following> all;
  for (const Command& command : commands_from({app.get_name(), &app})) {
    Following following{command.path, {}, {}};
    for (const CLI::App* below : command.app->get_subcommands([](const CLI::App*) { return true; }))
      following.words.push_back({below->get_name(), first_words(below->get_description())});
    for (const CLI::Option* option : options_of(*command.app)) {
      const std::vector<std::string> choices = choices_of(*option);
      if (option->get_positional())
        for (const std::string& choice : choices)
          following.words.push_back({choice, first_words(option->get_description())});
      for (const std::string& name : option->get_lnames())
        following.flags.push_back(
            {"--" + name, first_words(option->get_description()), option->get_type_size() != 0, choices});
    }
    all.push_back(std::move(following));
  }
  return all;
}

/// One word for a shell, whatever is in it.
std::string quoted(const std::string& text) {
  std::string inside;
  for (const char letter : text) {
    if (letter == '\'')
      inside += "'\\''";
    else
      inside += letter == '\n' ? ' ' : letter;
  }
  return '\'' + inside + '\'';
}

/// "'finegrain replay --trace'|'finegrain replay --matrix'": the flags of a subcommand whose values are any.
std::string free_flags(const Following& following) {
  std::vector<std::string> flags;
  for (const Flag& flag : following.flags)
    if (flag.takes_value && flag.choices.empty()) flags.push_back(quoted(following.path + ' ' + flag.name));
  return fmt::format("{}", fmt::join(flags, "|"));
}

std::string subcommand_paths(const std::vector<Following>& all, const char* separator) {
  std::vector<std::string> paths;
  for (std::size_t i = 1; i < all.size(); ++i)
    paths.push_back(quoted(all[i].path));
  return fmt::format("{}", fmt::join(paths, separator));
}

/// The beginning that bash and zsh share: which subcommand is being typed, and the values of its flags.
std::string which_subcommand(const std::vector<Following>& all, const char* words_before,
                             const char* previous, const char* any_value, const char* one_of) {
  std::string script = fmt::format(
      "  for word in {}; do\n    case \"$at $word\" in\n      {}) at=\"$at $word\" ;;\n    esac\n  done\n"
      "  case \"$at {}\" in\n",
      words_before, subcommand_paths(all, "|"), previous);
  for (const Following& following : all) {
    if (const std::string flags = free_flags(following); !flags.empty())
      script += fmt::format("    {}) {}; return ;;\n", flags, any_value);
    for (const Flag& flag : following.flags)
      if (!flag.choices.empty())
        script += fmt::format("    {}) {} ;;\n", quoted(following.path + ' ' + flag.name),
                              fmt::format(fmt::runtime(one_of), fmt::join(flag.choices, " ")));
  }
  return script + "  esac\n";
}

std::string for_bash(const std::vector<Following>& all) {
  std::string script =
      "# Completes finegrain's command line in bash; written by `finegrain completion bash`.\n"
      "_finegrain() {\n  local current=\"${COMP_WORDS[COMP_CWORD]}\" at=finegrain word words\n  "
      "COMPREPLY=()\n";
  // Without an answer, bash completes the names of files.
  script += which_subcommand(all, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"", "${COMP_WORDS[COMP_CWORD-1]}", ":",
                             "mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\"); return");
  script += "  case \"$at\" in\n";
  for (const Following& following : all) {
    std::vector<std::string> words, flags;
    for (const Word& word : following.words)
      words.push_back(word.text);
    for (const Flag& flag : following.flags)
      flags.push_back(flag.name);
    script += fmt::format("    {}) words='{}'; [[ $current != -* ]] || words='{}' ;;\n",
                          quoted(following.path), fmt::join(words, " "), fmt::join(flags, " "));
  }
  return script +
         "  esac\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n}\n"
         "complete -o default -F _finegrain finegrain\n";
}

std::string for_zsh(const std::vector<Following>& all) {
  std::string script =
      "#compdef finegrain\n# Completes finegrain's command line in zsh; written by `finegrain completion "
      "zsh`.\n"
      "_finegrain() {\n  local at=finegrain word\n  local -a found flags\n";
  script += which_subcommand(all, "\"${(@)words[2,CURRENT-1]}\"", "${words[CURRENT-1]}", "_files",
                             "compadd -- {}; return");
  const auto described = [](const std::string& text, const std::string& meaning) {
    return quoted(text + ':' + meaning);
  };
  script += "  case \"$at\" in\n";
  for (const Following& following : all) {
    std::vector<std::string> words, flags;
    for (const Word& word : following.words)
      words.push_back(described(word.text, word.meaning));
    for (const Flag& flag : following.flags)
      flags.push_back(described(flag.name, flag.meaning));
    script += fmt::format("    {})\n      found=({})\n      flags=({}) ;;\n", quoted(following.path),
                          fmt::join(words, " "), fmt::join(flags, " "));
  }
  return script +
         "  esac\n  if [[ ${words[CURRENT]} == -* ]]; then _describe flag flags\n"
         "  elif (( ${#found} )); then _describe subcommand found\n  else _files\n  fi\n}\n"
         "if [[ ${funcstack[1]} == _finegrain ]]; then _finegrain \"$@\"; else compdef _finegrain finegrain; "
         "fi\n";
}

std::string for_fish(const std::vector<Following>& all) {
  std::string script = fmt::format(
      "# Completes finegrain's command line in fish; written by `finegrain completion fish`.\n"
      "function __finegrain_at\n  set -l at finegrain\n  for word in (commandline -opc)[2..-1]\n"
      "    contains -- \"$at $word\" {}\n      and set at \"$at $word\"\n  end\n  test \"$at\" = "
      "\"$argv\"\nend\n",
      subcommand_paths(all, " "));
  for (const Following& following : all) {
    const std::string here =
        fmt::format("complete -c finegrain -n {}", quoted("__finegrain_at " + following.path));
    for (const Word& word : following.words)
      script += fmt::format("{} -f -a {} -d {}\n", here, quoted(word.text), quoted(word.meaning));
    for (const Flag& flag : following.flags) {
      script += fmt::format("{} -l {} -d {}", here, flag.name.substr(2), quoted(flag.meaning));
      if (!flag.choices.empty())
        script += fmt::format(" -x -a '{}'", fmt::join(flag.choices, " "));
      else if (flag.takes_value)
        script += " -r";
      script += '\n';
    }
  }
  return script;
}

}  // namespace

void add_completion_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "completion",
      "Prints a script that completes finegrain's command line in a shell: subcommands, flags and\n"
      "their values. An installed finegrain brings these scripts along.");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "Your shell")->required()->check(one_of({"bash", "zsh", "fish"}));
  command->footer("Example, in bash: source <(finegrain completion bash)");
  command->callback([&app, shell] {
    const std::vector<Following> all = everything(app);
    fmt::print("{}", *shell == "bash" ? for_bash(all) : *shell == "zsh" ? for_zsh(all) : for_fish(all));
  });
}

}  // namespace finegrain::cli
