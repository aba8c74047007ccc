// SPDX-License-Identifier: MIT
#include "sim/replay/engine/task_assignment.hpp"

#include <catch2/catch.hpp>

using namespace finegrain::replay;

namespace {

bool none_is_received(const TaskAssignment::Result& /*result*/) {
  return false;
}

}  // namespace

TEST_CASE("task assignment: the master takes the result that is there first, whoever announced first") {
  TaskAssignment tasks;
  tasks.announce({.at_s = 5, .connection = 0, .message = 0, .worker = 1});
  tasks.announce({.at_s = 3, .connection = 1, .message = 0, .worker = 2});
  CHECK(tasks.choose(6, none_is_received).worker == 2U);
  CHECK(tasks.choose(6, none_is_received).worker == 1U);
}

TEST_CASE("task assignment: before the first result is there, the master looks again at its time") {
  TaskAssignment tasks;
  CHECK_FALSE(tasks.choose(1, none_is_received).look_again_s);
  tasks.announce({.at_s = 3, .connection = 0, .message = 0, .worker = 1});
  const auto choice = tasks.choose(1, none_is_received);
  CHECK_FALSE(choice.worker);
  CHECK(choice.look_again_s == 3.);
  CHECK(tasks.choose(3, none_is_received).worker == 1U);
}

TEST_CASE("task assignment: a result that was received by the name of its worker is no choice any more") {
  TaskAssignment tasks;
  tasks.announce({.at_s = 1, .connection = 0, .message = 0, .worker = 1});
  tasks.announce({.at_s = 2, .connection = 1, .message = 0, .worker = 2});
  const auto received_of_1 = [](const TaskAssignment::Result& result) { return result.worker == 1; };
  CHECK(tasks.choose(4, received_of_1).worker == 2U);
}
