// SPDX-License-Identifier: MIT
#include "kernels/upcxx/mailbox.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;
using namespace finegrain::kernels;

TEST_CASE("a number that is put into a mailbox is taken once") {
  std::int64_t memory = 0;
  Mailbox mailbox(memory);
  CHECK(mailbox.take() == std::nullopt);
  memory = 7;
  CHECK(mailbox.take() == 7);
  CHECK(mailbox.take() == std::nullopt);
}

TEST_CASE("a number that its put stores once more after it was taken is not taken again") {
  std::int64_t memory = 0;
  Mailbox mailbox(memory);
  memory = 1;
  CHECK(mailbox.take() == 1);
  memory = 1;
  CHECK(mailbox.take() == std::nullopt);
  memory = 2;
  CHECK(mailbox.take() == 2);
}
