// SPDX-License-Identifier: MIT
#include "sim/cli/help.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

using namespace finegrain::cli;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

/// An app like finegrain's: one subcommand with two flags that exclude each other.
struct SmallApp {
  SmallApp() {
    app.name("small");
    app.formatter(std::make_shared<HelpFormatter>());
    app.require_subcommand(1);
    CLI::App* replay = app.add_subcommand("replay", "Simulates a run: what it costs. And more.");
    replay->group("study");
    CLI::Option* trace = replay->add_option("--trace", text, "A recording");
    replay->add_option("--ranks", text, "Ranks")->excludes(trace);
    replay->add_option("-j,--jobs", jobs, "Jobs");
    replay->add_option("--format", text, "Output")->check(one_of({"table", "json"}));
    add_help_command(app);
  }
  /// What is said of a wrong command line.
  std::string said_of(std::vector<std::string> arguments) {
    const std::vector<std::string> words = arguments;
    std::reverse(arguments.begin(), arguments.end());
    try {
      app.parse(arguments);
    } catch (const CLI::Error& error) {
      return explain_usage(app, error, words);
    }
    return "";
  }
  CLI::App app;
  std::string text;
  int jobs = 1;
};

}  // namespace

TEST_CASE("an unknown flag or subcommand is named, with the nearest that there is") {
  CHECK_THAT(
      SmallApp().said_of({"replay", "--rank", "3"}),
      Equals("finegrain: --rank is no flag of small replay. Did you mean --ranks? See small replay --help"));
  CHECK_THAT(SmallApp().said_of({"relpay"}),
             Equals("finegrain: relpay is no argument or subcommand of small. "
                    "Did you mean replay? See small --help"));
  CHECK_THAT(SmallApp().said_of({"nonsense"}),
             Equals("finegrain: nonsense is no argument or subcommand of small. See small --help"));
  CHECK_THAT(SmallApp().said_of({}), Equals("finegrain: A subcommand is required. See small --help"));
}

TEST_CASE("a value that is none of those that there are is named, with the nearest of them") {
  CHECK_THAT(SmallApp().said_of({"replay", "--format", "jsno"}),
             Equals("finegrain: --format: jsno is none of table, json. Did you mean json? "
                    "See small replay --help"));
  CHECK_THAT(SmallApp().said_of({"help", "replya"}),
             Equals("finegrain: small has no subcommand replya. Did you mean replay? See small help --help"));
  CHECK_THAT(SmallApp().said_of({"replay", "--format"}),
             Equals("finegrain: --format needs a value. See small replay --help"));
}

TEST_CASE("an error names a flag by its letter where that was typed") {
  CHECK_THAT(SmallApp().said_of({"replay", "-j", "many"}),
             Equals("finegrain: -j: many is no number that it takes. See small replay --help"));
  CHECK_THAT(SmallApp().said_of({"replay", "--jobs", "many"}),
             Equals("finegrain: --jobs: many is no number that it takes. See small replay --help"));
}

TEST_CASE("help lists what subcommands are in a few words, and no flags that exclude one another") {
  SmallApp small;
  CHECK_THAT(small.app.help(), Contains("\nstudy     replay       Simulates a run\n"));
  const std::string of_replay = small.app.get_subcommand("replay")->help();
  CHECK_THAT(of_replay, Contains("--ranks TEXT                Ranks\n"));
  CHECK_THAT(of_replay, !Contains("Excludes"));
}

TEST_CASE("of many options, help shows ten that people use, and --help-all all of them") {
  SmallApp small;
  CLI::App* many = small.app.add_subcommand("many", "Has many flags.");
  for (const char* flag : {"--seldom", "--table", "--format", "--nodes", "--out", "--per-rank", "--job",
                           "--trace", "--matrix", "--heat", "--policy", "--ranks", "--platform"})
    many->add_option(flag, small.text, "A flag");
  for (int number = 0; number < 10; ++number)
    many->add_option("--rare-" + std::to_string(number), small.text, "A flag");
  // 23 and -h,--help.
  const std::string help = many->help();
  CHECK_THAT(help, Contains("--trace") && Contains("--per-rank") && Contains("--format") &&
                       !Contains("--nodes") && !Contains("--seldom"));
  CHECK_THAT(help, Contains("\n14 more options: --help-all\n"));
  const std::string all = many->help("", CLI::AppFormatMode::All);
  CHECK_THAT(all, Contains("--trace") && Contains("--nodes") && Contains("--seldom") && Contains("--rare-9"));
  CHECK_THAT(all, !Contains("more options"));
}

TEST_CASE("an example that is too long goes on in a further line, and quoted words stay together") {
  CHECK(in_lines("Example: small replay --trace one --ranks 3\n"
                 "         small replay --job 'a b c d e f' --format json \\\n"
                 "           --jobs 4",
                 35, Indented::commands) ==
        "Example: small replay --trace one \\\n"
        "           --ranks 3\n"
        "         small replay --job \\\n"
        "           'a b c d e f' --format \\\n"
        "           json \\\n"
        "           --jobs 4");
}

TEST_CASE("running text of a help is as wide as the terminal, whatever its lines were") {
  CHECK(in_lines("one two three\nfour five", 15, Indented::items) == "one two three\nfour five");
  CHECK(in_lines("one two three\nfour five", 40, Indented::items) == "one two three four five");
  CHECK(in_lines("lists:\n  the ranks' files", 15, Indented::items) == "lists:\n  the ranks'\n  files");
}
