// SPDX-License-Identifier: MIT
#include "sim/replay/engine/node_memory.hpp"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

using namespace finegrain::replay;

namespace {

/// Which strands are done, and when.
std::vector<std::pair<std::size_t, double>> all_done(EventQueue& events, NodeMemory& memory) {
  std::vector<std::pair<std::size_t, double>> done;
  while (const auto event = events.next()) {
    REQUIRE(memory.owns(event->source));
    memory.dispatch(event->source, [&](std::size_t strand) { done.emplace_back(strand, events.now_s()); });
  }
  return done;
}

}  // namespace

TEST_CASE("node memory: strands that move bytes at the same time share the bandwidth of their domain") {
  EventQueue events;
  NodeMemory memory(events, {.of_nodes = {12}, .of_ranks = {100}});
  memory.move(7, 24, 0);  // bytes, at 12 B/s
  memory.move(8, 60, 0);
  const auto done = all_done(events, memory);
  REQUIRE(done.size() == 2);
  CHECK(done[0] == std::pair(std::size_t{7}, 24. / (12. / 2)));
  CHECK(done[1].first == 8);
  CHECK(done[1].second == Approx(24. / (12. / 2) + (60. - 24) / 12));
}

TEST_CASE("node memory: a strand alone gets no more than a rank can get") {
  EventQueue events;
  NodeMemory memory(events, {.of_nodes = {12}, .of_ranks = {3}});
  memory.move(0, 24, 0);
  CHECK(all_done(events, memory).front().second == 24. / 3);
}

TEST_CASE("node memory: domains of a node have equal parts of its bandwidth, and wait for no other") {
  EventQueue events;
  const std::size_t of_others = events.add_source();
  NodeMemory memory(events, {.of_nodes = {12, 48}, .of_ranks = {100, 100}, .domains = 2});
  CHECK_FALSE(memory.owns(of_others));
  memory.move(0, 24, 0);
  memory.move(1, 24, 1);
  memory.move(2, 24, 2);  // the first domain of node 1
  const auto done = all_done(events, memory);
  REQUIRE(done.size() == 3);
  CHECK(done[0] == std::pair(std::size_t{2}, 24. / (48. / 2)));
  CHECK(done[1].second == 24. / (12. / 2));
  CHECK(done[2].second == 24. / (12. / 2));
}
