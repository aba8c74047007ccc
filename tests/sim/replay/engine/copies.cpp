// SPDX-License-Identifier: MIT
#include "sim/replay/engine/copies.hpp"

#include <catch2/catch.hpp>

using namespace finegrain::replay;

TEST_CASE("copies: a rank makes one after the other, and each completes its own message") {
  Copies copies;
  const auto message = [](std::int64_t number) {
    return Flow{.kind = Flow::Kind::copied, .strand = 0, .message = number};
  };
  CHECK(copies.current(3) == nullptr);
  CHECK(copies.add(3, 80, 0, 0, message(1)));
  CHECK_FALSE(copies.add(3, 60, 0, 0, message(2)));
  CHECK(copies.current(3)->bytes == 80);
  CHECK(copies.end_part(3)->message == 1);
  CHECK(copies.current(3)->bytes == 60);
  CHECK(copies.end_part(3)->message == 2);
  CHECK(copies.current(3) == nullptr);
}

TEST_CASE("copies: between two domains, half of the bytes go over each, and only then the copy is complete") {
  Copies copies;
  copies.add(0, 80, 4, 5, {.kind = Flow::Kind::copied, .strand = 0});
  CHECK(copies.current(0)->bytes == 80. / 2);
  CHECK(copies.current(0)->domain == 4);
  CHECK_FALSE(copies.end_part(0));
  CHECK(copies.current(0)->bytes == 80. / 2);
  CHECK(copies.current(0)->domain == 5);
  CHECK(copies.end_part(0));
}
