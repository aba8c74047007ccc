// SPDX-License-Identifier: MIT
#include "sim/study/points.hpp"
#include "kernels/problem/heat_problem.hpp"
#include "kernels/problem/spmv_problem.hpp"

#include <catch2/catch.hpp>

#include "tests/sim/study/small_study.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::problem;
using namespace finegrain::study;
using Catch::Matchers::Contains;

namespace {

std::vector<StudyPoint> points_in(const test::SmallStudy& small, const std::string& axes) {
  const StudyFile study = small.read("version = 1\n[axes]\nplatform = \"four.xml\"\n" + axes);
  return points_of(study, open_inputs(study));
}

}  // namespace

TEST_CASE("points are numbered with the last axis varying fastest") {
  const test::SmallStudy small;
  const auto points = points_in(
      small, "matrix = \"m.fgm\"\nranks = [2, 4]\nblocksize = [10, 20, 30]\nset = [{}, {tau = \"x2\"}]\n");
  REQUIRE(points.size() == 2 * 3 * 2);
  // The second of ranks (2), the third of BLOCKSIZE (3), the first of set (2).
  const StudyPoint& point = points[1 * 3 * 2 + 2 * 2 + 0];
  CHECK(point.number == 10);
  CHECK(point.run.ranks == 4);
  CHECK(SpmvProblem::of(point.run.problem).block_size == 30);
  CHECK(point.platform == 0);
  CHECK(points[11].platform == 1);
}

TEST_CASE("auto is one block a rank, and nodes are full ones") {
  const test::SmallStudy small;
  const auto points = points_in(small, "matrix = \"m.fgm\"\nnodes = [1, 3]\nranks_per_node = 2\n");
  REQUIRE(points.size() == 2);
  CHECK(points[1].run.ranks == 3 * 2);
  CHECK(points[1].run.ranks_per_node == 2);
  CHECK(SpmvProblem::of(points[1].run.problem).block_size == 167);  // 1,000 rows / 6 ranks, rounded up
}

TEST_CASE("full nodes have as many ranks as they have cores for, unless the study says how many") {
  const test::SmallStudy small;
  const auto points_with = [&](const std::string& keys) {
    const StudyFile study =
        small.read("version = 1\n" + keys +
                   "[axes]\nplatform = \"two_cores.xml\"\nmatrix = \"m.fgm\"\nnodes = [1, 3]\n");
    return points_of(study, open_inputs(study));
  };
  CHECK(points_with("")[1].run.ranks == 3 * 2);
  CHECK(points_with("")[1].run.ranks_per_node == 2);
  CHECK(points_with("threads = 2\n")[1].run.ranks == 3 * 2 / 2);
}

TEST_CASE("a point that a platform or a matrix cannot hold says why, the others can run") {
  const test::SmallStudy small;
  const auto points = points_in(small, "matrix = \"m.fgm\"\nranks = [4, 5, 20000000]\nranks_per_node = 1\n");
  REQUIRE(points.size() == 3);
  CHECK(points[0].infeasible.empty());
  CHECK(points[1].infeasible == "5 nodes, and four has 4 hosts");
  CHECK_THAT(points[2].infeasible, Contains("at most 10000000"));
}

TEST_CASE("a node holds as many ranks as it has cores for, and more only where the study says so") {
  const test::SmallStudy small;
  const auto points_with = [&](const std::string& keys, const std::string& axes) {
    const StudyFile study = small.read("version = 1\n" + keys +
                                       "[axes]\nplatform = \"two_cores.xml\"\nheat = \"100x100\"\n" + axes);
    return points_of(study, open_inputs(study));
  };
  const auto full = points_with("", "ranks = [1, 8, 9]\n");
  CHECK(full[0].run.ranks_per_node == 1);
  CHECK(full[1].run.ranks_per_node == 2);
  CHECK(full[1].infeasible.empty());
  CHECK(full[2].infeasible == "5 nodes, and two_cores has 4 hosts");
  CHECK(points_with("threads = 2\n", "ranks = 4\n")[0].run.ranks_per_node == 1);
  CHECK(points_with("", "ranks = 4\nranks_per_node = 4\n")[0].infeasible ==
        "4 ranks x 1 thread on a node, which has 2 cores (two_cores), and no oversubscribe = true");
  CHECK(points_with("oversubscribe = true\n", "ranks = 4\nranks_per_node = 4\n")[0].infeasible.empty());
  const std::string threads = "set = [{ hardware_threads_per_core = \"2\" }]\n";
  CHECK(points_with("", threads + "ranks = 4\nranks_per_node = 4\n")[0].infeasible.empty());
}

TEST_CASE("the heat grid is cut as square as the ranks allow, and no fewer across than down") {
  const test::SmallStudy small;
  const auto points = points_in(small, "heat = \"100x100\"\nranks = [1, 12, 16, 7]\n");
  const auto parts = [&](std::size_t point) {
    const auto& heat = HeatProblem::of(points[point].run.problem);
    return std::pair(heat.mprocs, heat.nprocs);
  };
  CHECK(parts(0) == std::pair(1, 1));
  CHECK(parts(1) == std::pair(3, 4));
  CHECK(parts(2) == std::pair(4, 4));
  CHECK(parts(3) == std::pair(1, 7));
}

TEST_CASE("a grid of more than a million points is refused") {
  const test::SmallStudy small;
  CHECK_THROWS_WITH(points_in(small, "matrix = \"m.fgm\"\nranks = \"1..2000\"\nblocksize = \"1..1000\"\n"),
                    Contains("more than 1000000 points"));
}

TEST_CASE("a set changes a platform's number by a value or a factor, and names what it cannot change") {
  const test::SmallStudy small;
  const auto changed = [&](const std::string& set) {
    const StudyFile study = small.read(
        "version = 1\n[axes]\nplatform = \"four.xml\"\nmatrix = \"m.fgm\"\nranks = 1\nset = [" + set + "]\n");
    return open_inputs(study).platforms.front();
  };
  CHECK(changed("{tau = \"/10\"}").platform.costs.tau() == Approx(4e-6 / 10));
  CHECK(changed("{memory_bandwidth = \"x2\"}").platform.costs.memory_bandwidth_bytes_per_s ==
        Approx(2 * 10e9));
  CHECK(changed("{tau = \"7us\"}").platform.costs.tau() == Approx(7e-6));
  CHECK(changed("{tau = \"7us\", cache_line = \"128B\"}").changes == "cache_line=128B tau=7us");
  CHECK(changed("{link_latency = \"x3\"}").links.latency == 3);
  CHECK_THROWS_WITH(changed("{taw = \"x2\"}"), Contains("study.toml:6: taw"));
  CHECK_THROWS_WITH(changed("{tau = \"7\"}"), Contains("study.toml:6: "));
  CHECK_THROWS_WITH(changed("{link_latency = \"7us\"}"), Contains("study.toml:6: link_latency"));
}
