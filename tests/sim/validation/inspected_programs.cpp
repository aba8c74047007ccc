// SPDX-License-Identifier: MIT
// Table 2 of Alvanos et al. 2016: what 256 threads take. The simulations are a golden test's.
#include "sim/validation/inspected_programs.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;
using namespace finegrain::validation;

TEST_CASE("256 threads take an eighth of what 32 take, and what goes between nodes, in each time step") {
  InspectedProgram program{.name = "made up", .few_s = 24, .many_s = 7, .between_nodes_s = {}, .steps = {}};
  CHECK_FALSE(program.said_s());
  program.between_nodes_s = 0.5;
  CHECK(program.said_s() == 24. / 8 + 0.5);
  program.steps = 6;
  CHECK(program.said_s() == 24. / 8 + 6 * 0.5);
}

TEST_CASE(
    "a program with steps is a fit, one without an assumption, and one that nobody can build is excluded") {
  const output::Table table =
      inspected_programs_as_table({{.name = "a", .many_s = 4, .between_nodes_s = 1, .steps = 4},
                                   {.name = "b", .few_s = 16, .many_s = 4, .between_nodes_s = 1, .steps = {}},
                                   {.name = "c", .between_nodes_s = {}, .steps = {}}},
                                  "net.xml");
  const std::size_t off = 7;
  CHECK(table.rows[0].back() == output::Cell(std::string("fit")));
  CHECK(table.rows[1].back() == output::Cell(std::string("assumed")));
  CHECK(table.rows[1][off] == output::Cell(100 * ((16. / 8 + 1) / 4 - 1)));
  CHECK(table.rows[2].back() == output::Cell(std::string("excluded")));
  CHECK(table.rows[2][off] == output::Cell());
}
