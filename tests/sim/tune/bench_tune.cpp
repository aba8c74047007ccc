// SPDX-License-Identifier: MIT
// How often tune's best is as good as the best of simulating everything, and at what cost: a row for each
// combination of matrix, order, platform and numbers of nodes. The rule was made on the first table's; the
// second table's were added when it was fixed.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <utility>
#include <vector>

#include "bench_combinations.hpp"
#include "kernels/problem/matrix_file.hpp"
#include "sim/output/table.hpp"
#include "sim/platform/platform_facts.hpp"
#include "sim/study/axis_values.hpp"
#include "sim/study/simulations.hpp"
#include "sim/tune/grouped_simulations.hpp"
#include "sim/tune/tune.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"
#include "traces/io/input_error.hpp"

namespace {

using namespace finegrain;
using namespace finegrain::output;
using namespace finegrain::policy;
using namespace finegrain::problem;
using namespace finegrain::study;
using namespace finegrain::tune;
using test::Combination;
using test::MatrixRecipe;

struct Options {
  std::string platforms = "platforms";
  std::string which = "all";
  Objective objective = Objective::time;
  std::size_t first = 1;
  std::size_t count = 1000;
  double good_percent = 2;
  int processes = 1;
  bool shared = false;
  std::string format = "table";
};

/// CPU time of this process and of its children that have ended.
double cpu_s() {
  double seconds = 0;
  for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(whose, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return seconds;
}

struct Best {
  double value = 0;  ///< in the objective's unit
  double cpu_s = 0;
  std::size_t simulated = 0;
};

/// Every candidate, all iterations: as `study` does, a process for each, or with what tune shares.
Best simulate_everything(const TuneQuestion& question, const Options& options) {
  const double before_s = cpu_s();
  const StudyFile study = candidates(question);
  const StudyInputs inputs = open_inputs(study);
  const std::vector<StudyPoint> points = points_of(study, inputs);
  const std::vector<Candidate> ways = ways_to_run(question, study, inputs, points);
  std::vector<double> values;
  const Judge judge{options.objective};
  const auto add = [&](const StudyPoint& point, const Answer& answer) {
    if (const std::optional<double> value = judge.value(point.run, answer)) values.push_back(*value);
  };
  if (!options.shared) {
    std::vector<const StudyPoint*> all;
    for (const Candidate& way : ways)
      all.push_back(way.point);
    simulate_points(all, inputs, options.processes, {},
                    [&](const StudyPoint& point, const Answer& answer) { add(point, answer); });
  } else {
    std::vector<Simulation> all;
    for (const Candidate& way : ways)
      all.push_back({way.point, way.point->run.iterations});
    const auto answers =
        simulate_in_groups(all, inputs, {.processes = options.processes, .replay = {}, .deadline = {}}, {});
    for (std::size_t i = 0; i < answers.size(); ++i)
      add(*all[i].point, *answers[i]);
  }
  return {std::ranges::min(values), cpu_s() - before_s, ways.size()};
}

struct Tuned {
  Best best;
  std::size_t screened = 0;
  std::string what;
};

Tuned tune_it(const TuneQuestion& question, const Options& options) {
  const double before_s = cpu_s();
  const TuneAnswer answer = tune::tune(question,
                                       {.budget_s = {},
                                        .try_numbers = false,
                                        .objective = options.objective,
                                        .processes = options.processes,
                                        .replay = {}},
                                       [](const char*, std::size_t, std::size_t) {});
  const Candidate& best = answer.finalists.front();
  const Run& run = best.point->run;
  return {.best = {*best.value(best.simulated), cpu_s() - before_s, answer.search.simulated},
          .screened = answer.search.screened,
          .what = fmt::format("{}, {} ranks", variant_name(variant_of(run), tuned_pattern()), run.ranks)};
}

double percent(double part, double whole) {
  return 100 * part / whole;
}

/// What a table adds up to.
struct Sum {
  std::size_t rows = 0;
  std::size_t good = 0;
  std::size_t cheap = 0;
  double tune_cpu_s = 0;
  double all_cpu_s = 0;
  std::size_t all = 0;
  std::size_t screened = 0;
  std::size_t simulated = 0;
};

/// Two sockets of which nobody measured the powers: between idle and full as the thesis' Paper I, Table II,
/// has them (docs/energy.md), in units of an idle one's 40 W.
std::map<std::string, std::string> assumed_powers(const std::filesystem::path& platform) {
  const int cores = platform::platform_facts(platform).cores.value_or(16) / 2;
  return {
      {"sockets", "2"},
      {"node_power", "100W"},
      {"socket_power", fmt::format("idle=40W,1=86W,{}=105W,{}=127W,{}=178W", cores / 4, cores / 2, cores)}};
}

Table measure(const std::string& name, const std::vector<Combination>& combinations, const Options& options) {
  Table table;
  table.title = name;
  table.columns = {{"matrix", "matrix"},
                   {"platform", "platform"},
                   {"nodes", "nodes"},
                   {"ways", "ways"},
                   {"best", fmt::format("best {}", unit_of(options.objective)), 5},
                   {"tune_percent", "tune's: more %", 2},
                   {"few", "few iter. %", 0},
                   {"all", "all iter. %", 1},
                   {"cpu_all_s", "CPU all s", 1},
                   {"cpu_percent", "tune's CPU %", 1},
                   {"what", "tune's best"}};
  Sum sum;
  const std::size_t last = std::min(combinations.size(), options.first - 1 + options.count);
  for (std::size_t i = options.first - 1; i < last; ++i) {
    const Combination& combination = combinations[i];
    const test::TemporaryFolder folder;
    const std::string matrix = (folder / "m.fgm").string();
    write_matrix(matrix, test::make_matrix(combination.matrix).view(), test::describe(combination.matrix));
    TuneQuestion question{
        .matrices = {matrix},
        .platforms = {std::filesystem::path(options.platforms) / (combination.platform + ".xml")},
        .nodes = combination.nodes,
        .ranks_per_node = combination.ranks_per_node,
        .block_sizes = {std::nullopt, 256, 1024, 4096}};
    if (needs_energy(options.objective)) question.set = assumed_powers(question.platforms.front());
    const Tuned tuned = tune_it(question, options);
    const Best all = simulate_everything(question, options);
    const double more_percent = percent(tuned.best.value - all.value, all.value);
    table.rows.push_back(
        {test::describe(combination.matrix), combination.platform,
         fmt::format("{}", fmt::join(combination.nodes, " ")), static_cast<std::int64_t>(all.simulated),
         all.value, more_percent,
         percent(static_cast<double>(tuned.screened), static_cast<double>(all.simulated)),
         percent(static_cast<double>(tuned.best.simulated), static_cast<double>(all.simulated)), all.cpu_s,
         percent(tuned.best.cpu_s, all.cpu_s), tuned.what});
    ++sum.rows;
    sum.good += more_percent <= options.good_percent ? 1 : 0;
    sum.cheap += tuned.best.cpu_s <= 0.1 * all.cpu_s ? 1 : 0;
    sum.tune_cpu_s += tuned.best.cpu_s;
    sum.all_cpu_s += all.cpu_s;
    sum.all += all.simulated;
    sum.screened += tuned.screened;
    sum.simulated += tuned.best.simulated;
    fmt::print(stderr, "{} {} on {}: {:+.2f} %, CPU {:.1f} of {:.1f} s, {} and {} of {}\n", i + 1,
               test::describe(combination.matrix), combination.platform, more_percent, tuned.best.cpu_s,
               all.cpu_s, tuned.screened, tuned.best.simulated, all.simulated);
  }
  table.notes.push_back(
      fmt::format("Within {:g} %: {} of {}. CPU: {:.1f} s of {:.1f} s, {:.1f} %; at most 10 % in {} of {}. "
                  "Of {} ways, {} ({:.0f} "
                  "%) simulated for a few iterations, {} ({:.1f} %) for all.",
                  options.good_percent, sum.good, sum.rows, sum.tune_cpu_s, sum.all_cpu_s,
                  percent(sum.tune_cpu_s, sum.all_cpu_s), sum.cheap, sum.rows, sum.all, sum.screened,
                  percent(static_cast<double>(sum.screened), static_cast<double>(sum.all)), sum.simulated,
                  percent(static_cast<double>(sum.simulated), static_cast<double>(sum.all))));
  return table;
}

void run(const Options& options) {
  std::vector<Table> tables;
  if (options.which == "objectives")
    tables.push_back(measure("Combinations for other objectives", test::for_objectives, options));
  if (options.which == "old" || options.which == "all")
    tables.push_back(measure("Combinations that the rule was made on", test::made_on, options));
  if (options.which == "new" || options.which == "all")
    tables.push_back(measure("Combinations made after the rule was fixed", test::made_after, options));
  print(std::cout, tables, options.format == "markdown" ? Format::markdown : parse_format(options.format));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("tune against simulating everything; not a test");
  Options options;
  app.add_option("--platforms", options.platforms, "Folder of the platform files")->capture_default_str();
  app.add_option(
         "--which", options.which,
         "Combinations that the rule was made on (old), the others (new), all of these; or objectives: those "
         "for --objective")
      ->check(CLI::IsMember({"old", "new", "all", "objectives"}))
      ->capture_default_str();
  app.add_option_function<std::string>(
      "--objective",
      [&](const std::string& text) { options.objective = parse_objective(text, "--objective"); },
      "time (the usual), energy, edp or node-hours; for the second and third, powers are assumed");
  app.add_option("--first", options.first, "Begin with this one")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--count", options.count, "So many of each kind")->capture_default_str();
  app.add_option("--within", options.good_percent, "Percent slower that is good enough")
      ->capture_default_str();
  app.add_flag("--shared", options.shared,
               "Simulate everything with what tune shares, instead of a process for each as study run does");
  app.add_option("-j,--jobs", options.processes, "Processes at the same time")->capture_default_str();
  app.add_option("--format", options.format, "table, json, csv or markdown")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
