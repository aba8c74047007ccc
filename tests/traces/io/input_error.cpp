// SPDX-License-Identifier: MIT
#include "traces/io/input_error.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;
using Catch::Matchers::Contains;

TEST_CASE("InputError: a number of megabytes loses its middle, the words around it stay") {
  const std::string number(10'000'000, '9');
  const InputError error("trace:3", "'" + number + "' is not a number", "Write it like 3");
  CHECK_THAT(error.what(), Contains("trace:3: '9999") && Contains("... (10000003 characters)") &&
                               Contains("' is not a number. Write it like 3"));
  CHECK(std::string(error.what()).size() < 200);
  CHECK(error.problem().size() < 200);
}

TEST_CASE("InputError: the longest path of a file stays whole") {
  std::string path;
  while (path.size() < 4090)
    path += "/folder";
  CHECK_THAT(InputError(path + ":12", "no such file").what(), Contains(path + ":12: no such file"));
}

TEST_CASE("InputError: text of a file that would end the line or write on the terminal is shown as escapes") {
  CHECK(std::string(InputError("a\nb.msh:3", "starts with \x1b[2J\n", "Try\tanother").what()) ==
        R"(a\nb.msh:3: starts with \x1b[2J\n. Try\tanother)");
}
