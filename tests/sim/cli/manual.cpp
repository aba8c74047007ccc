// SPDX-License-Identifier: MIT
#include "sim/cli/manual.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace finegrain::cli;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// A command whose texts have what man(7) and Markdown would take for their own.
struct TrickyApp {
  TrickyApp() {
    CLI::App* replay = app.add_subcommand("replay", "Simulates.\n  a\\b  * 2\n.It begins with a dot");
    replay->add_option("--kind", text, "a|b or N*N (docs/model.md)")->check(CLI::IsMember({"a", "b"}));
    replay->add_flag("--quiet", quiet, "Says nothing");
  }
  Command replay() { return {"small replay", app.get_subcommand("replay")}; }
  CLI::App app{"", "small"};
  std::string text;
  bool quiet = false;
};

}  // namespace

TEST_CASE(
    "a man page keeps backslashes, dashes, lines that begin with a dot, and the form of indented lines") {
  TrickyApp tricky;
  const std::string page = man_page(tricky.replay());
  CHECK_THAT(page, StartsWith(".TH small-replay 1 "));
  CHECK_THAT(page, Contains("Simulates.\n.nf\n  a\\eb  * 2\n.fi\n\\&.It begins with a dot\n"));
  CHECK_THAT(page, Contains(".TP\n\\fB\\-\\-kind\\fR TEXT:{a,b}\n"));
}

TEST_CASE("a chapter keeps stars and bars, and a document that the help names is a link") {
  TrickyApp tricky;
  const std::string chapter = markdown_chapter(tricky.replay());
  CHECK_THAT(chapter, StartsWith("## small replay\n"));
  CHECK_THAT(chapter, Contains("```text\n  a\\b  * 2\n```\n"));
  CHECK_THAT(chapter, Contains("| `--kind TEXT:{a,b}` | a\\|b or N\\*N ([model](model.md)) |\n"));
}

TEST_CASE(
    "the commands of a tree come before their own subcommands, and an option's choices are those of its "
    "check") {
  TrickyApp tricky;
  tricky.app.add_subcommand("trace", "")->add_subcommand("info", "");
  std::string paths;
  for (const Command& command : commands_from({"small", &tricky.app}))
    paths += command.path + ';';
  CHECK(paths == "small;small replay;small trace;small trace info;");
  CHECK(choices_of(*tricky.replay().app->get_option("--kind")) == std::vector<std::string>{"a", "b"});
  CHECK(choices_of(*tricky.replay().app->get_option("--quiet")).empty());
}
