// SPDX-License-Identifier: MIT
#include "sim/study/study_file.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "sim/study/study_inputs.hpp"
#include "tests/sim/study/small_study.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::graph;
using namespace finegrain::policy;
using namespace finegrain::problem;
using namespace finegrain::study;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

std::string many(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i)
    all += text;
  return all;
}

const std::string least = R"(version = 1
[axes]
matrix = "m.fgm"
ranks = 4
platform = "four.xml"
)";

}  // namespace

TEST_CASE("what a study file leaves out is the usual") {
  const test::SmallStudy small;
  const StudyFile study = small.read(least);
  CHECK(study.problems == std::vector{(small / "m.fgm").string()});
  CHECK(study.variants == std::vector<Variant>{{"condensed", Transfer::two_sided, Completion::together}});
  CHECK(study.ranks == std::vector<std::int64_t>{4});
  CHECK(study.ranks_per_node == std::vector<std::optional<int>>{std::nullopt});
  CHECK(study.settings == std::vector<Settings>{{}});
  CHECK(study.changes.size() == 1);
  CHECK(study.changes[0].values.empty());
  CHECK(study.iterations == 1000);
  CHECK(study.simulate.kind == SimulationChoice::Kind::none);
}

TEST_CASE("a value that comes twice on an axis counts once") {
  const test::SmallStudy small;
  const StudyFile study =
      small.read(least + "blocksize = [\"auto\", 4, \"powers of two 2..8\", 8, \"auto\"]\n");
  CHECK(study.settings ==
        std::vector<Settings>{{}, {{"blocksize", 4}}, {{"blocksize", 2}}, {{"blocksize", 8}}});
  const StudyFile changed =
      small.read(least + "set = [{}, {tau = \"x2\"}, {}, {tau = \"x3\"}, {tau = \"x2\"}]\n");
  REQUIRE(changed.changes.size() == 3);
  CHECK(changed.changes[2].values.at("tau") == "x3");
}

TEST_CASE("the points to simulate are all, none, or so many best of each") {
  const test::SmallStudy small;
  const StudyFile study =
      small.read("simulate = \"best 3\"\nbest_of_each = [\"platform\", \"nodes\"]\n" + least);
  CHECK(study.simulate.kind == SimulationChoice::Kind::best);
  CHECK(study.simulate.best == 3);
  CHECK(study.simulate.of_each == std::vector{Axis::platform, Axis::ranks});
}

TEST_CASE("each wrong line of a study file is named") {
  const test::SmallStudy small;
  const auto line_6 =
      GENERATE(as<std::string>(), "blocksizes = 3", "blocksize = []", "blocksize = 0", "blocksize = 1.5",
               "blocksize = [[1]]", "blocksize = \"powers of two 9..10\"", "nodes = 3", "heat = \"4x4\"",
               "policy = \"condensed over\"", "policy = 3", "ranks_per_node = 99999999", "set = \"x2\"",
               "set = [{tau = 3}]", "set = [{tau = \"x2\"}}]", "\"", "ranks = 5", "tau = 3us");
  CHECK_THROWS_WITH(small.read(least + line_6 + "\n"), Contains("study.toml:6: "));
}

TEST_CASE("a study file of another version says which it is") {
  const test::SmallStudy small;
  CHECK_THROWS_WITH(small.read("version = 2\n"), Contains("study.toml:1: version 2 of the study file"));
  CHECK_THROWS_WITH(small.read("[axes]\n"), Contains("no version"));
}

TEST_CASE("a study needs axes, a problem, ranks and a platform") {
  const test::SmallStudy small;
  CHECK_THROWS_WITH(small.read("version = 1\n"), Contains("no axes"));
  CHECK_THROWS_WITH(small.read("version = 1\n[axes]\n"), Contains("none of matrix, heat"));
  CHECK_THROWS_WITH(small.read("version = 1\n[axes]\nmatrix = \"m\"\n"), Contains("none of ranks, nodes"));
  CHECK_THROWS_WITH(small.read("version = 1\n[axes]\nmatrix = \"m\"\nranks = 1\n"), Contains("no platform"));
}

TEST_CASE("a study file that is not UTF-8 is refused before the parser reads past its end") {
  const test::SmallStudy small;
  CHECK_THROWS_WITH(small.read("version = 1\n'a\xff' = 1"),
                    Contains("study.toml:2: malformed TOML (bytes that"));
  CHECK_THROWS_WITH(small.read("version = 1\nname = 'Meßwerte'\n"), Contains("unknown 'name'"));
}

TEST_CASE(
    "a file that the parser would take too long for, or too much memory, is refused before it is parsed") {
  const test::SmallStudy small;
  CHECK_THROWS_WITH(small.read(fmt::format("\na = {}", std::string(1000, '['))),
                    Contains("study.toml:2: more than 32 open"));
  CHECK_THROWS_WITH(small.read(fmt::format("\na{} = 1\n", many(3000, ".a"))),
                    Contains("study.toml:2: more than 4096"));
  CHECK_THROWS_WITH(small.read(fmt::format("a = [{}]\n", many(100, fmt::format("\n{}", many(1000, "1,"))))),
                    Contains("more than 65536"));
}

TEST_CASE("more points or numbers than a study may have are refused before there is memory for them") {
  const test::SmallStudy small;
  const std::string rest = "matrix = \"m.fgm\"\nplatform = \"four.xml\"\n";
  CHECK_THROWS_WITH(small.read("version = 1\n[axes]\nranks = \"1..9999\"\nblocksize = \"1..9999\"\n" + rest),
                    Contains("more than 1000000 points"));
  CHECK_THROWS_WITH(
      small.read(fmt::format("version = 1\n[axes]\nranks = [{}]\n{}", many(500, "\"1..10000\",\n"), rest)),
      Contains("study.toml:4: more than 10000 numbers"));
}

TEST_CASE("a study of flags is the same as of the file that they stand for, and its errors name the flag") {
  const test::SmallStudy small;
  const auto study = [](const std::string& policy, const std::string& matrix) {
    return study_text({{"matrix", {matrix}},
                       {"policy", {"block", policy}},
                       {"ranks", {"1..3"}},
                       {"placement", std::vector<std::string>(20, "cyclic")},
                       {"platform", {"four.xml"}}},
                      "all", false);
  };
  const StudyText good = study("condensed", "a\nb");
  CHECK(read_study_text(small / "study.toml", good).problems == small.read(good.text).problems);
  CHECK(read_study_text(small / "study.toml", good).problems.front() == (small / "a\nb").string());
  CHECK_THROWS_WITH(read_study_text(small / "study.toml", study("blok", "m.fgm")),
                    Catch::StartsWith("--policy: 'blok' is not a program"));
  CHECK_THROWS_WITH(
      read_study_text(small / "study.toml", study_text({{"matrix", {"m"}}, {"ranks", {"2"}}}, "all", false)),
      Catch::StartsWith("the flags: no platform"));
}

TEST_CASE("each value of the axis jobs is a list of texts, and texts alone are one value") {
  const test::SmallStudy small;
  const std::string start = "version = 1\n[axes]\nplatform = \"four.xml\"\n";
  const StudyFile two =
      small.read(start +
                 "jobs = [[\"a@nodes=0\", \"b@nodes=1\"],\n  [\"a@nodes=0\"], [\"a@nodes=0\"]]\n"
                 "set = [{}, {link_bandwidth = \"x2\"}]\n");
  CHECK(two.is_of_jobs());
  CHECK(two.points() == 2 * 2);
  CHECK(two.jobs[0].texts == std::vector<std::string>{"a@nodes=0", "b@nodes=1"});
  CHECK(two.jobs[1].texts == std::vector<std::string>{"a@nodes=0"});
  CHECK(two.jobs[1].place == (small / "study.toml").string() + ":5");
  CHECK(two.simulate.kind == SimulationChoice::Kind::all);
  const StudyFile one = small.read(start + "jobs = [\"a@nodes=0\", \"b@nodes=1\"]\n");
  REQUIRE(one.jobs.size() == 1);
  CHECK(one.jobs[0].texts == two.jobs[0].texts);
  const StudyText flags = study_text({{"jobs", one.jobs[0].texts}, {"platform", {"four.xml"}}}, "", false);
  CHECK(read_study_text(small / "study.toml", flags).jobs[0].texts == one.jobs[0].texts);
  CHECK(read_study_text(small / "study.toml", flags).jobs[0].place == "--job");
}

TEST_CASE("what each job has of its own is no axis or key of a study of jobs") {
  const test::SmallStudy small;
  const auto read = [&](const std::string& keys, const std::string& more) {
    small.read("version = 1\n" + keys + "[axes]\nplatform = \"four.xml\"\njobs = [[\"a@nodes=0\"]]\n" + more);
  };
  CHECK_THROWS_WITH(read("", "ranks = 8\n"),
                    Contains("study.toml:5: ranks, but a job has its own. Remove it"));
  CHECK_THROWS_WITH(read("", "placement = \"cyclic\"\n"), Contains("study.toml:5: placement, but a job"));
  CHECK_THROWS_WITH(read("", "matrix = \"m.fgm\"\n"), Contains("both matrix and jobs. Keep one"));
  CHECK_THROWS_WITH(read("iterations = 5\n", ""),
                    Contains("study.toml:2: iterations, but each job has its own --iterations. Remove it"));
  CHECK_THROWS_WITH(read("waiting = \"idle\"\n", ""), Contains("study.toml:2: waiting, but no energy"));
  CHECK_THROWS_WITH(read("simulate = \"best 2\"\n", ""), Contains("which jobs have none of"));
  CHECK_THROWS_WITH(
      small.read("version = 1\n[axes]\nplatform = \"four.xml\"\njobs = [[\"a@nodes=0\"], \"b\"]\n"),
      Contains("study.toml:4: a value of jobs that is no list of texts"));
}

TEST_CASE("each mesh in each ordering is a matrix beside the study file") {
  const test::SmallStudy small;
  const StudyFile study = small.read(
      "version = 1\n[axes]\ntets = [500, 600]\nordering = [\"rcm\", \"none\", \"rcm\"]\nranks = 2\n"
      "platform = \"four.xml\"\n");
  REQUIRE(study.problems.size() == 2 * 2);
  CHECK(study.problems[1] == (small / "ventricle-500.none.fgm").string());
  CHECK(study.to_make[2].source.tets == 600);
  CHECK(study.to_make[2].source.order == RowOrder::rcm);
  std::vector<std::string> made;
  const auto note = [&](const std::filesystem::path& file) { made.push_back(file.filename().string()); };
  make_matrices(study, note);
  CHECK(made.size() == 4);
  make_matrices(study, note);
  CHECK(made.size() == 4);
  CHECK(number_of(open_inputs(study).problems[3]->problem(2, {}), "rows", 1) == 600);
}

TEST_CASE("an ordering without a mesh, and one that there is none of, are named with their line") {
  const test::SmallStudy small;
  CHECK_THROWS_WITH(small.read("version = 1\n[axes]\nmatrix = \"m.fgm\"\nordering = \"rcm\"\n"),
                    Contains("study.toml:4: ordering, but matrix has its order"));
  CHECK_THROWS_WITH(small.read("version = 1\n[axes]\ntets = 500\nordering = \"rcn\"\n"),
                    Contains("study.toml:4: "));
}

TEST_CASE("placements are read, and one that there is none of is named with its line") {
  const test::SmallStudy small;
  const std::string rest = "matrix = \"m.fgm\"\nranks = 2\nplatform = \"four.xml\"\n";
  CHECK(small.read("version = 1\n[axes]\nplacement = [\"cyclic\", \"communication\"]\n" + rest).placements ==
        std::vector{PlacementRule::cyclic, PlacementRule::communication});
  CHECK_THROWS_WITH(small.read("version = 1\n[axes]\nplacement = \"random\"\n" + rest),
                    Contains("study.toml:3: 'random' is no placement"));
}
