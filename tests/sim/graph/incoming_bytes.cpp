// SPDX-License-Identifier: MIT
#include "sim/graph/incoming_bytes.hpp"

#include <catch2/catch.hpp>

#include "../../traces/transfer.hpp"

using namespace finegrain;
using namespace finegrain::graph;

TEST_CASE("incoming bytes: each message once where it arrives, and no copy of one's own block") {
  Schedule schedule;
  schedule.run.ranks = 3;
  schedule.run.ranks_per_node = 3;
  schedule.ranks.resize(3);
  for (Body& body : schedule.ranks)
    body.begin_region(regions::get);
  schedule.ranks[0].add(transfer(TransferKind::put, 1, 10));
  schedule.ranks[0].add(transfer(TransferKind::get, 0, 1000));  // its own block
  schedule.ranks[1].add(transfer(TransferKind::load, 2, 8, 5));
  schedule.ranks[2].add(transfer(TransferKind::send, 0, 100));
  schedule.ranks[0].add(transfer(TransferKind::receive, 2, 100));
  CHECK(incoming_bytes(schedule) == std::vector<std::int64_t>{100, 10 + 8 * 5, 0});
}
