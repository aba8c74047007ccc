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

#include "bench_matrices.hpp"
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
using test::MatrixRecipe;

struct Combination {
  MatrixRecipe matrix;
  std::string platform;
  std::vector<std::int64_t> nodes;
  std::vector<int> ranks_per_node;
};

using enum MatrixRecipe::Kind;

const std::vector<Combination> made_on{
    {{box7, 32768, RowOrder::rcm, 1}, "hdr_infiniband", {1, 2, 4, 8}, {32, 64}},
    {{ventricle, 30000, RowOrder::sbd, 1}, "abel", {1, 2, 3, 4}, {8, 16}},
    {{ventricle, 50000, RowOrder::sbd, 2}, "ethernet_10g", {1, 4, 8, 16}, {8, 16}},
    {{box27, 27000, RowOrder::random, 1}, "abel", {1, 2, 4, 8}, {8, 16}},
    {{power_law, 30000, RowOrder::none, 1}, "ethernet_100g", {1, 2, 4, 8}, {8, 16}},
    {{banded, 60000, RowOrder::none, 1}, "ethernet_10g", {1, 2, 4, 8}, {8, 16}},
    {{ventricle, 40000, RowOrder::rcm, 3}, "ndr_infiniband", {1, 2, 4}, {16, 32}},
    {{ventricle, 40000, RowOrder::hilbert, 1}, "dragonfly_200g", {1, 2, 4, 8}, {16, 32}},
    {{ventricle, 20000, RowOrder::sbd, 11}, "abel", {1, 2, 4}, {8, 16}},
    {{ventricle, 45000, RowOrder::rcm, 12}, "hdr_infiniband", {1, 2, 3}, {16, 32}},
    {{ventricle, 80000, RowOrder::hilbert, 13}, "ethernet_10g", {2, 4}, {8, 16}},
    {{ventricle, 60000, RowOrder::gnd, 14}, "ndr_infiniband", {1, 2}, {16, 32}},
    {{ventricle, 25000, RowOrder::random, 15}, "ethernet_100g", {3}, {8, 16}},
    {{ventricle, 30000, RowOrder::sbd, 16}, "dragonfly_200g", {1, 2}, {16, 32}},
    {{ventricle, 35000, RowOrder::rcm, 17}, "abel_upc", {2, 4, 8}, {8, 16}},
    {{ventricle, 50000, RowOrder::none, 18}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{box7, 27000, RowOrder::none, 21}, "hdr_infiniband", {1, 2}, {16, 32}},
    {{box7, 64000, RowOrder::rcm, 22}, "ethernet_10g", {4}, {8, 16}},
    {{box7, 32768, RowOrder::random, 23}, "ndr_infiniband", {1, 2}, {8, 16}},
    {{box7, 46656, RowOrder::none, 24}, "ethernet_100g", {2, 4, 8}, {8, 16}},
    {{box7, 50653, RowOrder::rcm, 25}, "dragonfly_200g", {1, 2}, {16, 32}},
    {{box7, 91125, RowOrder::random, 26}, "abel_upc", {1, 2, 4}, {8, 16}},
    {{box7, 21952, RowOrder::none, 27}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{box7, 74088, RowOrder::rcm, 28}, "abel", {2, 4}, {8, 16}},
    {{box27, 20000, RowOrder::none, 31}, "ethernet_10g", {2, 4, 8}, {8, 16}},
    {{box27, 35937, RowOrder::rcm, 32}, "ndr_infiniband", {1, 2}, {16, 32}},
    {{box27, 17576, RowOrder::none, 33}, "ethernet_100g", {1, 2, 4}, {8, 16}},
    {{box27, 29791, RowOrder::random, 34}, "dragonfly_200g", {1, 2, 3}, {8, 16}},
    {{box27, 42875, RowOrder::rcm, 35}, "abel_upc", {2, 4}, {8, 16}},
    {{box27, 24389, RowOrder::none, 36}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{box27, 27000, RowOrder::rcm, 37}, "abel", {4}, {8, 16}},
    {{box27, 39304, RowOrder::none, 38}, "hdr_infiniband", {1, 2}, {16, 32}},
    {{power_law, 20000, RowOrder::none, 41}, "ndr_infiniband", {1, 2, 3}, {8, 16}},
    {{power_law, 50000, RowOrder::random, 42}, "ethernet_100g", {2}, {8, 16}},
    {{power_law, 40000, RowOrder::none, 43}, "dragonfly_200g", {1, 2}, {8, 16}},
    {{power_law, 60000, RowOrder::rcm, 44}, "abel_upc", {3}, {8, 16}},
    {{power_law, 25000, RowOrder::none, 45}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{power_law, 30000, RowOrder::random, 46}, "abel", {2, 4}, {8, 16}},
    {{power_law, 35000, RowOrder::none, 47}, "hdr_infiniband", {1, 2}, {8, 16}},
    {{power_law, 45000, RowOrder::rcm, 48}, "ethernet_10g", {1, 2, 4}, {8, 16}},
    {{banded, 25000, RowOrder::none, 51}, "ethernet_100g", {4}, {8, 16}},
    {{banded, 50000, RowOrder::none, 52}, "dragonfly_200g", {1, 2}, {16, 32}},
    {{banded, 100000, RowOrder::none, 53}, "abel_upc", {2, 4, 8}, {8, 16}},
    {{banded, 40000, RowOrder::random, 54}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{banded, 80000, RowOrder::rcm, 55}, "abel", {1, 2, 4}, {8, 16}},
    {{banded, 60000, RowOrder::none, 56}, "hdr_infiniband", {1, 2, 3}, {16, 32}},
    {{banded, 75000, RowOrder::none, 57}, "ethernet_10g", {2, 4}, {8, 16}},
    {{banded, 30000, RowOrder::none, 58}, "ndr_infiniband", {1, 2}, {16, 32}},
    {{ventricle, 24000, RowOrder::sbd, 101}, "ethernet_10g", {2, 4}, {8, 16}},
    {{ventricle, 77000, RowOrder::rcm, 102}, "hdr_infiniband", {1, 4}, {16, 32}},
    {{ventricle, 85000, RowOrder::hilbert, 103}, "abel_upc", {4}, {8, 16}},
    {{ventricle, 68000, RowOrder::gnd, 104}, "abel", {3}, {8, 16}},
    {{ventricle, 73000, RowOrder::random, 105}, "ethernet_100g", {2, 8}, {8, 16}},
    {{ventricle, 55000, RowOrder::none, 106}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{ventricle, 88000, RowOrder::sbd, 107}, "dragonfly_200g", {1, 4}, {16, 32}},
    {{ventricle, 58000, RowOrder::rcm, 108}, "ndr_infiniband", {1, 2, 3}, {16, 32}},
    {{box7, 59319, RowOrder::none, 109}, "abel", {4}, {8, 16}},
    {{box7, 79507, RowOrder::rcm, 110}, "hdr_infiniband", {1, 2, 4}, {16, 32}},
    {{box7, 39304, RowOrder::random, 111}, "dragonfly_200g", {1, 3}, {16, 32}},
    {{box7, 29791, RowOrder::none, 112}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{box7, 50653, RowOrder::rcm, 113}, "ethernet_100g", {4}, {8, 16}},
    {{box7, 79507, RowOrder::random, 114}, "ndr_infiniband", {1, 3}, {16, 32}},
    {{box7, 50653, RowOrder::none, 115}, "abel_upc", {3}, {8, 16}},
    {{box7, 68921, RowOrder::rcm, 116}, "ethernet_10g", {1, 2}, {8, 16}},
    {{box27, 32768, RowOrder::none, 117}, "dragonfly_200g", {3}, {16, 32}},
    {{box27, 21952, RowOrder::rcm, 118}, "ethernet_100g", {2, 8}, {8, 16}},
    {{box27, 39304, RowOrder::random, 119}, "abel", {2, 4}, {8, 16}},
    {{box27, 32768, RowOrder::none, 120}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{box27, 39304, RowOrder::rcm, 121}, "abel_upc", {4}, {8, 16}},
    {{box27, 32768, RowOrder::random, 122}, "ethernet_10g", {1, 2, 4}, {8, 16}},
    {{box27, 39304, RowOrder::none, 123}, "ndr_infiniband", {1, 2, 3}, {16, 32}},
    {{box27, 24389, RowOrder::rcm, 124}, "hdr_infiniband", {1, 2, 4}, {16, 32}},
    {{power_law, 44000, RowOrder::none, 125}, "abel", {1, 2}, {8, 16}},
    {{power_law, 43000, RowOrder::random, 126}, "hdr_infiniband", {4}, {16, 32}},
    {{power_law, 45000, RowOrder::rcm, 127}, "abel_upc", {2, 4}, {8, 16}},
    {{power_law, 26000, RowOrder::none, 128}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{power_law, 35000, RowOrder::random, 129}, "ethernet_100g", {2, 4, 8}, {8, 16}},
    {{power_law, 24000, RowOrder::rcm, 130}, "ndr_infiniband", {3}, {16, 32}},
    {{power_law, 58000, RowOrder::none, 131}, "dragonfly_200g", {1, 2, 4}, {16, 32}},
    {{power_law, 42000, RowOrder::random, 132}, "ethernet_10g", {2, 4}, {8, 16}},
    {{banded, 41000, RowOrder::none, 133}, "abel_upc", {2, 4}, {8, 16}},
    {{banded, 39000, RowOrder::random, 134}, "ethernet_100g", {1, 3}, {8, 16}},
    {{banded, 83000, RowOrder::rcm, 135}, "abel", {1, 2, 3}, {8, 16}},
    {{banded, 32000, RowOrder::none, 136}, "dragonfly_200g", {1, 2, 4}, {16, 32}},
    {{banded, 76000, RowOrder::random, 137}, "ndr_infiniband", {3}, {16, 32}},
    {{banded, 31000, RowOrder::rcm, 138}, "hdr_infiniband", {4}, {16, 32}},
    {{banded, 58000, RowOrder::none, 139}, "ethernet_10g", {1, 2, 4}, {8, 16}},
    {{banded, 37000, RowOrder::random, 140}, "knl_7250_mcdram", {1}, {17, 34, 68}},
};

const std::vector<Combination> made_after{
    {{ventricle, 41000, RowOrder::none, 201}, "abel_upc", {3}, {8, 16}},
    {{ventricle, 83000, RowOrder::hilbert, 202}, "hdr_infiniband", {2, 3}, {16, 32}},
    {{ventricle, 66000, RowOrder::random, 203}, "dragonfly_200g", {2, 4}, {16, 32}},
    {{ventricle, 87000, RowOrder::hilbert, 204}, "ethernet_10g", {2, 4}, {8, 16}},
    {{ventricle, 86000, RowOrder::random, 205}, "ethernet_100g", {4}, {8, 16}},
    {{ventricle, 63000, RowOrder::rcm, 206}, "ndr_infiniband", {1, 4}, {16, 32}},
    {{ventricle, 86000, RowOrder::hilbert, 207}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{ventricle, 75000, RowOrder::rcm, 208}, "abel", {1, 2, 4}, {8, 16}},
    {{box7, 39304, RowOrder::rcm, 209}, "hdr_infiniband", {1, 2, 4}, {16, 32}},
    {{box7, 46656, RowOrder::rcm, 210}, "ethernet_10g", {1, 3, 4}, {8, 16}},
    {{box7, 29791, RowOrder::none, 211}, "ndr_infiniband", {4}, {16, 32}},
    {{box7, 74088, RowOrder::rcm, 212}, "abel_upc", {1, 4}, {8, 16}},
    {{box7, 50653, RowOrder::none, 213}, "ethernet_100g", {1, 3, 4}, {8, 16}},
    {{box7, 46656, RowOrder::rcm, 214}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{box7, 32768, RowOrder::none, 215}, "dragonfly_200g", {2, 4, 8}, {16, 32}},
    {{box7, 39304, RowOrder::rcm, 216}, "abel", {4}, {8, 16}},
    {{box27, 29791, RowOrder::random, 217}, "dragonfly_200g", {2, 4, 8}, {16, 32}},
    {{box27, 32768, RowOrder::rcm, 218}, "ndr_infiniband", {1, 2}, {16, 32}},
    {{box27, 24389, RowOrder::rcm, 219}, "ethernet_10g", {3}, {8, 16}},
    {{box27, 21952, RowOrder::random, 220}, "abel", {1, 4}, {8, 16}},
    {{box27, 32768, RowOrder::rcm, 221}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{box27, 27000, RowOrder::none, 222}, "abel_upc", {1, 3, 4}, {8, 16}},
    {{box27, 32768, RowOrder::none, 223}, "ethernet_100g", {1, 4}, {8, 16}},
    {{box27, 27000, RowOrder::rcm, 224}, "hdr_infiniband", {2, 3}, {16, 32}},
    {{power_law, 56000, RowOrder::none, 225}, "ethernet_100g", {4}, {8, 16}},
    {{power_law, 40000, RowOrder::random, 226}, "abel_upc", {1, 3}, {8, 16}},
    {{power_law, 59000, RowOrder::none, 227}, "ethernet_10g", {3}, {8, 16}},
    {{power_law, 24000, RowOrder::rcm, 228}, "abel", {2, 3}, {8, 16}},
    {{power_law, 25000, RowOrder::rcm, 229}, "dragonfly_200g", {1, 3}, {16, 32}},
    {{power_law, 35000, RowOrder::rcm, 230}, "hdr_infiniband", {2, 3}, {16, 32}},
    {{power_law, 49000, RowOrder::random, 231}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{power_law, 42000, RowOrder::none, 232}, "ndr_infiniband", {1, 3, 4}, {16, 32}},
    {{banded, 33000, RowOrder::rcm, 233}, "ndr_infiniband", {1, 2, 4}, {16, 32}},
    {{banded, 79000, RowOrder::rcm, 234}, "hdr_infiniband", {2, 4, 8}, {16, 32}},
    {{banded, 27000, RowOrder::rcm, 235}, "dragonfly_200g", {4}, {16, 32}},
    {{banded, 67000, RowOrder::none, 236}, "ethernet_10g", {2, 3}, {8, 16}},
    {{banded, 27000, RowOrder::rcm, 237}, "abel", {2, 3}, {8, 16}},
    {{banded, 78000, RowOrder::random, 238}, "ethernet_100g", {2, 3}, {8, 16}},
    {{banded, 29000, RowOrder::rcm, 239}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{banded, 42000, RowOrder::rcm, 240}, "abel_upc", {1, 2, 4}, {8, 16}},
};

/// Made when the rule was fixed for time: for other objectives, on platforms of which powers are assumed.
const std::vector<Combination> for_objectives{
    {{ventricle, 36000, RowOrder::sbd, 301}, "abel", {1, 2, 4}, {8, 16}},
    {{ventricle, 52000, RowOrder::rcm, 302}, "hdr_infiniband", {1, 2}, {16, 32}},
    {{ventricle, 28000, RowOrder::random, 303}, "ethernet_10g", {1, 3}, {8, 16}},
    {{ventricle, 47000, RowOrder::hilbert, 304}, "abel_upc", {2, 4}, {8, 16}},
    {{box7, 35937, RowOrder::none, 305}, "ndr_infiniband", {1, 2}, {16, 32}},
    {{box7, 54872, RowOrder::rcm, 306}, "abel", {1, 4}, {8, 16}},
    {{box7, 27000, RowOrder::random, 307}, "dragonfly_200g", {1, 2}, {16, 32}},
    {{box27, 19683, RowOrder::none, 308}, "ethernet_100g", {1, 2, 4}, {8, 16}},
    {{box27, 29791, RowOrder::rcm, 309}, "abel_upc", {1, 2}, {8, 16}},
    {{box27, 21952, RowOrder::rcm, 310}, "knl_7250_mcdram", {1}, {17, 34, 68}},
    {{power_law, 22000, RowOrder::none, 311}, "hdr_infiniband", {1, 2}, {8, 16}},
    {{power_law, 31000, RowOrder::rcm, 312}, "abel", {1, 3}, {8, 16}},
    {{power_law, 27000, RowOrder::random, 313}, "ethernet_10g", {1, 2}, {8, 16}},
    {{banded, 44000, RowOrder::rcm, 314}, "ndr_infiniband", {1, 2}, {16, 32}},
    {{banded, 36000, RowOrder::none, 315}, "abel", {1, 2, 4}, {8, 16}},
    {{banded, 29000, RowOrder::random, 316}, "dragonfly_200g", {1, 2}, {16, 32}},
};

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
    tables.push_back(measure("Combinations for other objectives", for_objectives, options));
  if (options.which == "old" || options.which == "all")
    tables.push_back(measure("Combinations that the rule was made on", made_on, options));
  if (options.which == "new" || options.which == "all")
    tables.push_back(measure("Combinations made after the rule was fixed", made_after, options));
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
