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
    add_help_command(app);
  }
  /// What is said of a wrong command line.
  std::string said_of(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());
    try {
      app.parse(arguments);
    } catch (const CLI::Error& error) {
      return explain_usage(app, error);
    }
    return "";
  }
  CLI::App app;
  std::string text;
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

TEST_CASE("help lists what subcommands are in a few words, and no flags that exclude one another") {
  SmallApp small;
  CHECK_THAT(small.app.help(), Contains("\nstudy     replay       Simulates a run\n"));
  const std::string of_replay = small.app.get_subcommand("replay")->help();
  CHECK_THAT(of_replay, Contains("--ranks TEXT                Ranks\n"));
  CHECK_THAT(of_replay, !Contains("Excludes"));
}
