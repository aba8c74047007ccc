// SPDX-License-Identifier: MIT
#include "traces/io/host_names.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "traces/io/input_error.hpp"

using namespace finegrain;

namespace {

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("hostlists: ranges keep their zeros, and lists may be mixed") {
  CHECK(names_in_hostlist("node[001-003,020],login", "here") ==
        Names{"node001", "node002", "node003", "node020", "login"});
  CHECK(names_in_hostlist("r[1-2]n[8-9]", "here") == Names{"r1n8", "r1n9", "r2n8", "r2n9"});
  CHECK(names_in_hostlist("n[9-11]-ib", "here") == Names{"n9-ib", "n10-ib", "n11-ib"});
}

TEST_CASE("hostlists: what is wrong is named") {
  const auto refused = [](const std::string& text, const std::string& problem) {
    CHECK_THROWS_WITH(names_in_hostlist(text, "a.conf:3"),
                      Catch::StartsWith("a.conf:3: '" + text + "' " + problem));
  };
  refused("n[1-", "has a '[' without its ']'");
  refused("n[[1-2]]", "has brackets");
  refused("n1]", "has brackets");
  refused("n[3-1]", "has the range '3-1', which goes down");
  refused("n[1-x]", "has 'x', which is not a number");
  refused("n1,,n2", "has an empty name");
  refused("n[1-9999999]", "names more than 500000");
}
