// SPDX-License-Identifier: MIT
#include "sim/cli/gate_ranks.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "traces/io/input_error.hpp"

using finegrain::cli::command_on;

namespace {
using Words = std::vector<std::string>;
}  // namespace

TEST_CASE("gate: the launcher's number of ranks is replaced, and not one of the program's own") {
  CHECK(command_on({"mpirun", "-n", "4", "./code", "-n", "100"}, 8) ==
        Words{"mpirun", "-n", "8", "./code", "-n", "100"});
  CHECK(command_on({"mpirun", "--oversubscribe", "-np", "4", "./code"}, 2) ==
        Words{"mpirun", "--oversubscribe", "-np", "2", "./code"});
  CHECK(command_on({"srun", "--ntasks=4", "./code", "-n", "3"}, 16) ==
        Words{"srun", "--ntasks=16", "./code", "-n", "3"});
  CHECK(command_on({"srun", "--ntasks", "4", "./code"}, 16) == Words{"srun", "--ntasks", "16", "./code"});
  CHECK(command_on({"echo", "-n", "x", "mpirun", "-n", "4"}, 2) ==
        Words{"echo", "-n", "x", "mpirun", "-n", "2"});
}

TEST_CASE("gate: a command without a number of ranks is refused") {
  CHECK_THROWS_AS(command_on({"mpirun", "./code"}, 8), finegrain::InputError);
  CHECK_THROWS_AS(command_on({"mpirun", "./code", "-n"}, 8), finegrain::InputError);
}

TEST_CASE("gate: what is said of one of two programs names it, and what is said of both is said once") {
  CHECK(finegrain::cli::notes_of_both({"a guess at halo.c:8", "nobody ran this"},
                                      {"nobody ran this", "a guess at halo.c:9"}) ==
        std::vector<std::string>{"the baseline: a guess at halo.c:8", "nobody ran this",
                                 "the present program: a guess at halo.c:9"});
}
