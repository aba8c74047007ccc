// SPDX-License-Identifier: MIT
#include "sim/study/slurm_script.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace finegrain;
using namespace finegrain::study;

TEST_CASE("a job script: a line that a folder's name would add is neither run nor a line") {
  const std::string script = slurm_script("a\ntouch run-by-the-script\n'$(id)/s.toml", "/bin/finegrain", 2);
  std::istringstream lines(script);
  for (std::string line; std::getline(lines, line);)
    CHECK_FALSE(line.starts_with("touch"));
  // One word for bash, escapes and quotes included.
  CHECK_THAT(script, Catch::Contains(R"(/a\012touch run-by-the-script\012\'$(id)/s.toml')"));
  CHECK(slurm_script_kind().recognises(script));
}

TEST_CASE("a job script that was edited, in any byte, is the user's") {
  const std::string script = slurm_script("s.toml", "/bin/finegrain", 2);
  for (std::size_t i = 0; i < script.size(); ++i) {
    std::string edited = script;
    edited[i] = edited[i] == 'x' ? 'y' : 'x';
    CHECK_FALSE(slurm_script_kind().recognises(edited));
  }
  CHECK_FALSE(slurm_script_kind().recognises(script + "\n"));
  CHECK_FALSE(slurm_script_kind().recognises(script.substr(0, script.size() - 1)));
  CHECK_FALSE(slurm_script_kind().recognises(""));
}
