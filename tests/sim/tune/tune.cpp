// SPDX-License-Identifier: MIT
#include "sim/tune/tune.hpp"

#include <pthread.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <sstream>

#include "kernels/problem/matrix_file.hpp"
#include "sim/study/simulations.hpp"
#include "sim/tune/grouped_simulations.hpp"
#include "sim/tune/ordered_matrices.hpp"
#include "sim/tune/tune_table.hpp"
#include "tests/sim/study/small_study.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::output;
using namespace finegrain::problem;
using namespace finegrain::study;
using namespace finegrain::tune;
using Catch::Matchers::Contains;

namespace {

const TuneProgress silent = [](const char*, std::size_t, std::size_t) {};

TuneQuestion small_question(const test::SmallStudy& small) {
  return {.matrices = {small / "m.fgm"},
          .platforms = {small / "two_cores.xml"},
          .nodes = {1, 2, 4},
          .ranks_per_node = {2},
          .block_sizes = {std::nullopt, 32, 64},
          .iterations = 10};
}

/// A path of 601 rows, each coupled to the next, numbered so that neighbours are far apart.
std::string shuffled_path() {
  constexpr int rows = 601;  // a prime: i * 7 modulo it takes every value
  const auto row = [](int i) { return std::to_string(i * 7 % rows + 1); };
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n601 601 600\n";
  for (int i = 0; i + 1 < rows; ++i) {
    const bool lower = (i + 1) * 7 % rows > i * 7 % rows;
    text += (lower ? row(i + 1) + " " + row(i) : row(i) + " " + row(i + 1)) + " 1\n";
  }
  return text;
}

/// How many of the processes that fork from now on are killed at once.
int forks_to_kill = 0;
bool kills_this_fork = false;

void kill_forks() {
  REQUIRE(::pthread_atfork([] { kills_this_fork = forks_to_kill > 0 && forks_to_kill-- > 0; }, nullptr,
                           [] {
                             if (kills_this_fork) ::raise(SIGKILL);
                           }) == 0);
}

}  // namespace

TEST_CASE("tune: its best is the best of simulating everything") {
  const test::SmallStudy small;
  const TuneAnswer answer = tune::tune(small_question(small), {}, silent);
  const std::vector<Candidate> ways =
      ways_to_run(small_question(small), answer.study, answer.inputs, answer.points);
  std::vector<const StudyPoint*> all;
  for (const Candidate& way : ways)
    all.push_back(way.point);
  double best_s = 1e9;
  simulate_points(all, answer.inputs, 2, {},
                  [&](const StudyPoint&, const Answer& one) { best_s = std::min(best_s, *one.total_s); });
  CHECK(*answer.finalists.front().simulated.total_s == best_s);
  CHECK(answer.search.could_still_win == 0);
  for (std::size_t i = 1; i < answer.finalists.size(); ++i)
    CHECK(*answer.finalists[i - 1].simulated.total_s <= *answer.finalists[i].simulated.total_s);
}

TEST_CASE("tune: points simulated together take what each takes alone") {
  const test::SmallStudy small;
  const TuneQuestion asked = small_question(small);
  const StudyFile study = candidates(asked);
  const StudyInputs inputs = open_inputs(study);
  const std::vector<StudyPoint> points = points_of(study, inputs);
  std::vector<Simulation> simulations;
  std::vector<const StudyPoint*> alone;
  for (const Candidate& way : ways_to_run(asked, study, inputs, points)) {
    simulations.push_back({way.point, way.point->run.iterations});
    alone.push_back(way.point);
  }
  const auto together = simulate_in_groups(simulations, inputs, {}, {});
  std::size_t compared = 0;
  simulate_points(alone, inputs, 2, {}, [&](const StudyPoint& point, const Answer& answer) {
    const auto place = std::ranges::find(alone, &point) - alone.begin();
    const std::optional<Answer>& other = together[static_cast<std::size_t>(place)];
    REQUIRE(other);
    CHECK(other->total_s == answer.total_s);
    CHECK(other->phases_s == answer.phases_s);
    ++compared;
  });
  CHECK(compared == simulations.size());
}

TEST_CASE("tune: a simulation tells how many messages a rank sends in an iteration") {
  const test::SmallStudy small;
  // A chain of 64 rows, each coupled to the next: ranks with a block of it exchange with the ranks beside
  // them.
  EllpackMatrix chain;
  chain.r_nz = 2;
  chain.diagonal.assign(64, 1);
  chain.values.assign(2 * 64, 1);
  for (std::int32_t row = 0; row < 64; ++row) {
    chain.columns.push_back(std::max(row - 1, 0));
    chain.columns.push_back(std::min(row + 1, 63));
  }
  write_matrix(small / "chain.fgm", chain.view(), "chain");
  TuneQuestion asked = small_question(small);
  asked.matrices = {small / "chain.fgm"};
  asked.nodes = {2};
  asked.variants = {{"condensed", Transfer::two_sided, Completion::together}};
  asked.block_sizes = {std::nullopt};
  const StudyFile study = candidates(asked);
  const StudyInputs inputs = open_inputs(study);
  const std::vector<StudyPoint> points = points_of(study, inputs);
  const std::vector<Candidate> ways = ways_to_run(asked, study, inputs, points);
  REQUIRE(ways.front().point->run.ranks == 4);
  const auto answers = simulate_in_groups({{ways.front().point, 1}}, inputs, {}, {});
  CHECK(answers.front()->quantity("messages_per_rank") == (1 + 2 + 2 + 1) / 4.0);
}

TEST_CASE("tune: what a killed process had to simulate is simulated once more") {
  const test::SmallStudy small;
  const TuneQuestion asked = small_question(small);
  const StudyFile study = candidates(asked);
  const StudyInputs inputs = open_inputs(study);
  const std::vector<StudyPoint> points = points_of(study, inputs);
  std::vector<Simulation> simulations;
  for (const Candidate& way : ways_to_run(asked, study, inputs, points))
    simulations.push_back({way.point, 1});
  const auto undisturbed = simulate_in_groups(simulations, inputs, {}, {});
  kill_forks();
  forks_to_kill = 1;
  CHECK(simulate_in_groups(simulations, inputs, {}, {}) == undisturbed);
  CHECK(forks_to_kill == 0);
}

TEST_CASE("tune: a way whose simulation is killed twice is not simulated, and the others are") {
  const test::SmallStudy small;
  kill_forks();
  bool killed = false;
  const TuneAnswer answer =
      tune::tune(small_question(small), {}, [&](const char* what, std::size_t finished, std::size_t of) {
        if (killed || what != std::string("closed form") || finished < of) return;
        killed = true;
        forks_to_kill = 2;  // the process of all that are screened first, then that of the first alone
      });
  CHECK(forks_to_kill == 0);
  CHECK(answer.search.interrupted == 1);
  CHECK(answer.search.screened < answer.search.candidates);
  CHECK(!answer.finalists.empty());
  CHECK_THAT(tune_table(answer, {}, 10).notes[1], Contains("1 of them was killed, or got no memory, twice"));
}

TEST_CASE("tune: twice the answer is the same answer, whatever the number of processes") {
  const test::SmallStudy small;
  const auto rows = [&](int processes) {
    const TuneAnswer answer =
        tune::tune(small_question(small),
                   {.budget_s = {}, .try_numbers = true, .processes = processes, .replay = {}}, silent);
    return tune_table(answer, {}, 10);
  };
  const Table one = rows(1);
  const Table three = rows(3);
  CHECK(one.rows == three.rows);
  CHECK(one.notes == three.notes);
}

TEST_CASE("tune: of the shortest time four digits are shown") {
  const test::SmallStudy small;
  Table table = tune_table(tune::tune(small_question(small), {}, silent), {}, 10);
  const auto place = std::ranges::find(table.columns, "simulated_s", &Column::key) - table.columns.begin();
  table.rows.front()[static_cast<std::size_t>(place)] = 3.2104e-6;
  table.rows.back()[static_cast<std::size_t>(place)] = 0.5;
  std::ostringstream text;
  print(text, tune_tables_for_people(table), Format::table);
  CHECK_THAT(text.str(), Contains(" 0.000003210 ") && Contains(" 0.500000000 "));
}

TEST_CASE("tune: where time is up at once, it is said, or there is no answer") {
  const test::SmallStudy small;
  CHECK_THROWS_WITH(tune::tune(small_question(small),
                               {.budget_s = 0, .try_numbers = true, .processes = 1, .replay = {}}, silent),
                    Contains("budget: not one"));
}

TEST_CASE("tune: of a shuffled path's orders, rcm wins, and its file is removed") {
  const test::SmallStudy small;
  test::write_bytes(small / "path.mtx", shuffled_path());
  TuneQuestion asked = small_question(small);
  std::filesystem::path made;
  {
    const OrderedMatrices matrices(small / "path.mtx", {});
    REQUIRE(matrices.orders() == std::vector<RowOrder>{RowOrder::none, RowOrder::rcm});
    asked.matrices = matrices.files();
    made = matrices.files().back();
    const TuneAnswer answer = tune::tune(asked, {}, silent);
    CHECK(answer.finalists.front().point->position(Axis::problem) == 1);
    CHECK_THAT(what_to_run(answer), Contains("order rcm") && Contains("(simulated)"));
    CHECK(std::filesystem::exists(made));
  }
  CHECK_FALSE(std::filesystem::exists(made.parent_path()));
}

TEST_CASE("tune: a matrix file has its order") {
  const test::SmallStudy small;
  CHECK(OrderedMatrices(small / "m.fgm", {}).orders().empty());
  CHECK_THROWS_WITH(OrderedMatrices(small / "m.fgm", {RowOrder::rcm}), Contains("has its order already"));
}

TEST_CASE("tune: nothing that can run is an input error") {
  const test::SmallStudy small;
  TuneQuestion too_many = small_question(small);
  too_many.nodes = {100};
  CHECK_THROWS_WITH(tune::tune(too_many, {}, silent), Contains("nothing can run") && Contains("4 hosts"));
}
