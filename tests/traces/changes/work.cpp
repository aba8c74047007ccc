// SPDX-License-Identifier: MIT
#include "traces/changes/work.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "calls.hpp"
#include "traces/changes/same_work.hpp"

namespace finegrain::changes {
namespace {

constexpr int steps = 10;

/// Ranks that work before a wait and after it, in each step.
/// @param factor  scales rank 1's work before the wait
/// @param noise_s  added to the work of rank 1 in step `disturbed`
std::unique_ptr<Programs> a_run(double before_s, double after_s, double factor = 1, double noise_s = 0,
                                int disturbed = 0, int count = 3) {
  std::vector<std::vector<Call>> ranks;
  for (int rank = 0; rank < count; ++rank) {
    std::vector<Call>& calls = ranks.emplace_back();
    for (int step = 0; step < steps; ++step) {
      const double noise = rank == 1 && step == disturbed ? noise_s : 0;
      calls.push_back({before_s * (rank == 1 ? factor : 1) + noise, "MPI_Wait a.c:4", {Complete::all()}});
      calls.push_back({after_s, "MPI_Allreduce a.c:9", {allreduce}});
    }
  }
  return std::make_unique<Calls>(std::move(ranks));
}

using Runs = std::vector<std::unique_ptr<Programs>>;

Runs runs(double before_s, double after_s, double factor = 1, double noise_s = 0, int count = 3) {
  Runs all;
  for (int run = 0; run < 6; ++run)
    all.push_back(a_run(before_s, after_s, factor, noise_s, run, count));
  return all;
}

KnownPlaces both_places() {
  return {.names = {}, .anchors = {RegionName("MPI_Wait a.c:4"), RegionName("MPI_Allreduce a.c:9")}};
}

WorkChanges compared(const Runs& before, const Runs& after) {
  const KnownPlaces places = both_places();
  return compare_work(measure_work(before, places), measure_work(after, places));
}

}  // namespace

TEST_CASE("changes: an interruption in each run, at another place, is no work") {
  const WorkOfRuns work = measure_work(runs(1e-3, 2e-3, 1, 5e-3), both_places());
  const Stretch stretch{RegionName("MPI_Allreduce a.c:9"), RegionName("MPI_Wait a.c:4")};
  CHECK(work.ranks[1].at(stretch).least_s == Approx((steps - 1) * 1e-3));  // the first begins at the start
}

TEST_CASE("changes: work before a moment of a thread is work before the next call") {
  Runs one;
  one.push_back(
      std::make_unique<Calls>(std::vector<std::vector<Call>>{{{1, "MPI_Wait a.c:4", {Complete::all()}},
                                                              {2, "thread begins"},
                                                              {4, "thread ends"},
                                                              {8, "MPI_Allreduce a.c:9", {allreduce}}}}));
  const WorkOfRuns work = measure_work(one, both_places());
  const Stretch stretch{RegionName("MPI_Wait a.c:4"), RegionName("MPI_Allreduce a.c:9")};
  CHECK(work.ranks[0].size() == 2);
  CHECK(work.ranks[0].at(stretch).least_s == 2 + 4 + 8);
}

TEST_CASE("changes: a rank with 1.2 times the work of before is named, with its factor") {
  const WorkChanges changes = compared(runs(1e-3, 2e-3), runs(1e-3, 2e-3, 1.2));
  REQUIRE(changes.imbalances.size() == 1);
  CHECK(changes.imbalances.front().stretch.before == RegionName("MPI_Wait a.c:4"));
  CHECK(changes.imbalances.front().ranks == std::vector{1});
  CHECK(changes.imbalances.front().factor == Approx(1.2));
  CHECK(changes.moved.empty());
}

TEST_CASE("changes: a rank that had more work before, and another computer, are no change") {
  CHECK(compared(runs(1e-3, 2e-3, 1.2), runs(1e-3, 2e-3, 1.2)).imbalances.empty());
  const WorkChanges slower = compared(runs(1e-3, 2e-3, 1.2), runs(1.1e-3, 2.2e-3, 1.2));
  CHECK(slower.imbalances.empty());
  CHECK(slower.slowdown == Approx(1.1));
}

TEST_CASE("changes: two runs, or stretches shorter than what is measured, change nothing") {
  Runs two;
  two.push_back(a_run(1e-3, 2e-3, 1.2));
  two.push_back(a_run(1e-3, 2e-3, 1.2));
  CHECK(compared(runs(1e-3, 2e-3), two).imbalances.empty());
  CHECK(compared(runs(2e-5, 2e-3), runs(2e-5, 2e-3, 1.2)).imbalances.empty());
}

TEST_CASE("changes: ranks are compared within a run, because the computer may be slower in most of them") {
  Runs before, after;
  for (int run = 0; run < 15; ++run) {
    const double slower = run % 5 == 0 ? 1 : 1.5 + 0.01 * run;
    before.push_back(a_run(slower * 1e-3, slower * 2e-3));
    after.push_back(a_run((2.7 - slower) * 1e-3, (2.7 - slower) * 2e-3, 1.2));
  }
  const WorkChanges changes = compared(before, after);
  REQUIRE(changes.imbalances.size() == 1);
  CHECK(changes.imbalances.front().ranks == std::vector{1});
  CHECK(changes.imbalances.front().factor == Approx(1.2));
  CHECK(compared(before, before).imbalances.empty());
}

TEST_CASE(
    "changes: where ranks have unlike work, the one that changed is named, the busiest or another one") {
  for (const double usual : {0.3, 5.0}) {
    const WorkChanges changes = compared(runs(1e-3, 2e-3, usual), runs(1e-3, 2e-3, 1.3 * usual));
    REQUIRE(changes.imbalances.size() == 1);
    CHECK(changes.imbalances.front().ranks == std::vector{1});
    CHECK(changes.imbalances.front().factor == Approx(1.3));
    CHECK(changes.slowdown == Approx(1).epsilon(0.02));  // the first time through a stretch is another one's
    CHECK(changes.slowed.empty());
  }
}

TEST_CASE("changes: of two ranks, the one that changed less is as before") {
  for (const double factor : {0.7, 1.3}) {
    const WorkChanges changes = compared(runs(1e-3, 2e-3, 1, 0, 2), runs(1e-3, 2e-3, factor, 0, 2));
    REQUIRE(changes.imbalances.size() == 1);
    CHECK(changes.imbalances.front().ranks == std::vector{1});
    CHECK(changes.imbalances.front().factor == Approx(factor));
  }
}

TEST_CASE("changes: a share that scatters as far in the runs before as it differs is no change") {
  Runs before, after;
  for (int run = 0; run < 15; ++run) {
    before.push_back(a_run(1e-3, 2e-3, 1 + 0.03 * run));
    after.push_back(a_run(1e-3, 2e-3, 1.1 + 0.03 * run));
  }
  CHECK(compared(before, after).imbalances.empty());
}

TEST_CASE("changes: work that was done before a call and is done after it now has moved") {
  const WorkChanges changes = compared(runs(2e-3, 1e-4), runs(1e-6, 2.1e-3));
  REQUIRE(changes.moved.size() == 1);
  CHECK(changes.moved.front().call == RegionName("MPI_Wait a.c:4"));
  CHECK(changes.moved.front().is_after);
  CHECK(changes.moved.front().ranks == std::vector{0, 1, 2});
  CHECK(changes.imbalances.empty());
  const WorkChanges back = compared(runs(1e-6, 2.1e-3), runs(2e-3, 1e-4));
  REQUIRE(back.moved.size() == 1);
  CHECK_FALSE(back.moved.front().is_after);
}

TEST_CASE("changes: a program has the work of before, but for what changed") {
  const KnownPlaces places = both_places();
  const Runs was = runs(1e-3, 2e-3), is = runs(1.1e-3, 2.2e-3, 1.2);
  const WorkOfRuns before = measure_work(was, places), after = measure_work(is, places);
  const WorkTable table = table_with_work_of_before(before, after, compare_work(before, after));
  const ProgramsWithWork programs(*is.front(), places, table);
  std::vector<double> work_s;
  for (int rank = 0; rank < 3; ++rank) {
    double& sum_s = work_s.emplace_back(0);
    const auto cursor = programs.rank(rank);
    while (const Loop* loop = cursor->next())
      sum_s += loop->regions_s.front();
  }
  CHECK(work_s[0] == Approx(steps * (1e-3 + 2e-3)));
  CHECK(work_s[1] == Approx(steps * 2e-3 + 1e-3 + (steps - 1) * 1.2e-3).epsilon(0.02));
}

}  // namespace finegrain::changes
