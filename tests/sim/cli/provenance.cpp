// SPDX-License-Identifier: MIT
#include "sim/cli/provenance.hpp"

#include <catch2/catch.hpp>

using namespace finegrain::cli;

TEST_CASE("what several platforms share is said once, with their names") {
  CHECK(shared_notes(
            std::vector<NoteOnPlatform>{{"abel", "work x 1"}, {"hdr", "work x 2"}, {"ndr", "work x 1"}}) ==
        std::vector<std::string>{"abel, ndr: work x 1", "hdr: work x 2"});
  CHECK(shared_notes({}).empty());
}
