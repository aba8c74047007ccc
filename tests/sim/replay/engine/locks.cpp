// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <vector>

#include "sim/replay/engine/window_lock.hpp"

using namespace finegrain::replay;
using Kind = WindowLock::Kind;
using Granted = std::vector<std::size_t>;

TEST_CASE("locks: several ranks share a lock, and one that wants it alone waits for all of them") {
  Locks locks;
  locks.grow(1);
  CHECK(locks.acquire(0, 1, Kind::shared));
  CHECK(locks.acquire(0, 2, Kind::shared));
  CHECK_FALSE(locks.acquire(0, 3, Kind::exclusive));
  CHECK(locks.release(0, 1).empty());
  CHECK(locks.release(0, 2) == Granted{3});
}

TEST_CASE("locks: a rank that wants to share waits behind one that came before and wants the lock alone") {
  Locks locks;
  locks.grow(1);
  CHECK(locks.acquire(0, 1, Kind::shared));
  CHECK_FALSE(locks.acquire(0, 2, Kind::exclusive));
  CHECK_FALSE(locks.acquire(0, 3, Kind::shared));
  CHECK_FALSE(locks.acquire(0, 4, Kind::shared));
  CHECK(locks.release(0, 1) == Granted{2});
  CHECK(locks.release(0, 2) == Granted{3, 4});
}

TEST_CASE("locks: a lock does not wait for another one, and what a rank does not hold it cannot release") {
  Locks locks;
  locks.grow(2);
  CHECK(locks.acquire(0, 1, Kind::exclusive));
  CHECK(locks.acquire(1, 2, Kind::exclusive));
  CHECK_FALSE(locks.acquire(0, 3, Kind::exclusive));
  CHECK(locks.release(0, 2).empty());
  CHECK(locks.release(0, 1) == Granted{3});
}
