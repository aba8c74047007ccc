// SPDX-License-Identifier: MIT
#include "sim/cli/launcher_errors.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace finegrain;
using namespace finegrain::cli;

namespace {

const std::string rule = std::string(74, '-') + "\n";
/// As Open MPI 4.1.4 wrote them.
const std::string aborted = rule +
                            "Primary job  terminated normally, but 1 process returned\n"
                            "a non-zero exit code. Per user-direction, the job has been aborted.\n" +
                            rule;
const std::string killed =
    rule +
    "mpirun.openmpi noticed that process rank 12 with PID 0 on node vm exited on signal 9 (Killed).\n" + rule;
const std::string exited =
    rule +
    "mpirun.openmpi detected that one or more processes exited with non-zero status, thus causing\n"
    "the job to be terminated. The first process to do so was:\n\n"
    "  Process name: [[7535,1],0]\n"
    "  Exit code:    2\n" +
    rule;
const std::string other = rule + "There are not enough slots available in the system.\n" + rule;

/// What is passed of a text that comes in pieces of so many bytes.
std::string passed(LauncherErrors& errors, const std::string& text, std::size_t piece_bytes) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += piece_bytes)
    out += errors.pass(std::string_view(text).substr(at, piece_bytes));
  return out + errors.rest();
}

}  // namespace

TEST_CASE("mpirun's pages on how a job ended are left out, others are passed, and the killed rank is known") {
  const std::size_t piece_bytes = GENERATE(1, 7, 100'000);
  LauncherErrors errors;
  CHECK(passed(errors, "rank 3: no room\n" + aborted + other + "more\n" + killed + exited + "no end",
               piece_bytes) == "rank 3: no room\n" + other + "more\nno end");
  CHECK(errors.said().killed_rank == 12);
}

TEST_CASE("a rank that only exits is not a killed one, and a rank's own words are not mpirun's") {
  LauncherErrors errors;
  const std::string words = "somebody noticed that process rank 4 exited on signal 9\n";
  CHECK(passed(errors, aborted + exited + words, 10) == words);
  CHECK(errors.said().killed_rank == -1);
}

TEST_CASE("the first rank that was killed is named") {
  std::string second = killed;
  second[second.find("12") + 1] = '3';
  LauncherErrors errors;
  CHECK(passed(errors, killed + second, 1000).empty());
  CHECK(errors.said().killed_rank == 12);
}

TEST_CASE("progress, which is a line without an end, is passed at once") {
  LauncherErrors errors;
  CHECK(errors.pass("\riterations 1/2\033[K") == "\riterations 1/2\033[K");
  CHECK(errors.pass("--") == "--");
  CHECK(errors.pass("\n--").size() == 1);  // this may become a rule
  CHECK(errors.rest() == "--");
}

TEST_CASE("why a job could not be started is known in mpirun's own words, also in pieces") {
  const std::size_t piece_bytes = GENERATE(1, 7, 100'000);
  const std::string slots =
      rule +
      "There are not enough slots available in the system to satisfy the 200\n"
      "slots that were requested by the application:\n\n  ./my_code\n\nEither request fewer.\n" +
      rule;
  LauncherErrors errors;
  CHECK(passed(errors, slots, piece_bytes) == slots);
  CHECK(errors.said().not_started ==
        "There are not enough slots available in the system to satisfy the 200 slots that were requested by "
        "the "
        "application: ./my_code");
  CHECK(!errors.said().told_exit);
  LauncherErrors others;
  passed(others, "rank 0 was unable to converge\n" + exited, piece_bytes);
  CHECK(others.said().not_started.empty());
  CHECK(others.said().told_exit);
}

TEST_CASE("why a rank's recording stopped is known") {
  LauncherErrors errors;
  passed(
      errors,
      "1: finegrain: trace/rank_00001.fgt: recording stopped (No space left on device). The program goes on\n"
      "finegrain: /tmp/trace: exists already, so this run is not recorded. Give another folder\n",
      5);
  CHECK(errors.said().recording_stopped == "No space left on device");
}
