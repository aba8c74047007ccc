// SPDX-License-Identifier: MIT
#include "sim/replay/engine/matching.hpp"

#include <catch2/catch.hpp>

using namespace finegrain::replay;

TEST_CASE("matching: the first receive gets the first message sent, although the second message ends first") {
  Matching matching(2);
  matching.grow(1);
  const std::int64_t first = matching.send(0, {});
  const std::int64_t second = matching.send(0, {});
  CHECK_FALSE(matching.expect(0, {.latency_s = 0.5, .strand = 1, .request = 10}, false));
  CHECK_FALSE(matching.expect(0, {.latency_s = 0.5, .strand = 1, .request = 11}, false));
  CHECK(matching.end(0, second, {1, 1})->request == 11);
  CHECK(matching.end(0, first, {2, 2})->request == 10);
}

TEST_CASE(
    "matching: a receive that comes later than its message is complete a latency after the message's end") {
  Matching matching(2);
  matching.grow(1);
  CHECK_FALSE(matching.end(0, matching.send(0, {}), {3, 3}));
  CHECK(matching.expect(0, {.latency_s = 0.5, .strand = 1, .request = 0}, false)->there.at_s == 3 + 0.5);
}

TEST_CASE("matching: an offer is taken by the receive that is posted for it, before it or after it") {
  Matching matching(2);
  matching.grow(2);
  const Offer offer{
      .sender = 0, .request = 4, .bytes = 8, .offered_s = 0, .latency_s = 0, .back_s = 0, .message = 0};
  CHECK_FALSE(matching.offer(0, offer));
  CHECK(matching.waiting_offer(0)->bytes == 8);
  CHECK_FALSE(matching.expect(0, {.latency_s = 0, .strand = 1, .request = 0}, false));
  CHECK(matching.take_offer(0)->request == 4);
  CHECK_FALSE(matching.expect(1, {.latency_s = 0, .strand = 1, .request = 0}, false));
  CHECK_FALSE(matching.take_offer(1));
  CHECK(matching.offer(1, offer)->request == 4);
}

TEST_CASE("matching: receives of any source whose messages come in the other order are counted") {
  Matching matching(2);
  matching.grow(2);
  CHECK_FALSE(matching.expect(0, {.latency_s = 0, .strand = 1, .request = 0}, true));
  CHECK_FALSE(matching.expect(1, {.latency_s = 0, .strand = 1, .request = 1}, true));
  matching.end(1, matching.send(1, {}), {1, 1});  // for the second receive
  matching.end(0, matching.send(0, {}), {2, 2});
  CHECK(matching.wildcards() == 2);
  CHECK(matching.out_of_order() == 1);
}

TEST_CASE("matching: messages that nobody receives are counted, and named by their first connection") {
  Matching matching(3);
  matching.grow(2);
  matching.send(1, {});
  matching.send(1, {});
  const UnreceivedMessages left =
      matching.unreceived({{.sender = 0, .receiver = 1, .communicator = 0, .tag = 5},
                           {.sender = 0, .receiver = 2, .communicator = 0, .tag = 6}});
  CHECK(left.count == 2);
  CHECK(left.receiver == 2);
  CHECK(left.tag == 6);
}
