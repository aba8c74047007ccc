// SPDX-License-Identifier: MIT
#include "kernels/micro/message_sizes.hpp"

#include <catch2/catch.hpp>

#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::micro;

TEST_CASE("sizes of messages are in bytes, increasing, each once") {
  CHECK(parse_message_sizes({"64KiB", "8B", "65536B", "1KiB"}) == std::vector<int>{8, 1024, 65536});
}

TEST_CASE("a line is not fitted to one size, nor to what is no message") {
  CHECK_THROWS_AS(parse_message_sizes({"8B", "8B"}), InputError);
  CHECK_THROWS_AS(parse_message_sizes({"8B", "0B"}), InputError);
  CHECK_THROWS_AS(parse_message_sizes({"8B", "2GiB"}), InputError);
  CHECK_THROWS_AS(parse_message_sizes({"8B", "large"}), InputError);
}
