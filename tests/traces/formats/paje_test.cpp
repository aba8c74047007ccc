// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "tests/traces/formats/program.hpp"
#include "tests/traces/recording.hpp"
#include "traces/formats/format.hpp"

namespace finegrain {
namespace {

using namespace test;

TEST_CASE("paje: both ends of a link have one value, also where a receive is longer than its message") {
  std::vector<formats::RankCalls> ranks(2);
  ranks[0].begin(RegionName("MPI_Send"), 10);
  ranks[0].add(Post{.kind = TransferKind::send, .blocking = true, .peer = 1, .size_bytes = 4});
  ranks[0].end(20);
  ranks[1].begin(RegionName("MPI_Recv"), 10);
  ranks[1].add(Post{.kind = TransferKind::receive, .blocking = true, .peer = 0, .size_bytes = 400});
  ranks[1].end(30);
  const TraceFolder folder;
  write_program(folder.path() / "trace", ranks);
  formats::export_paje(Trace(folder.path() / "trace"), folder.path() / "a.paje", {});
  const std::string text = read_file(folder.path() / "a.paje");
  CHECK_THAT(text, Catch::Contains(" L run \"message\" r0 m0_0_1_0_0 4\n"));
  CHECK_THAT(text, Catch::Contains(" L run \"message\" r1 m0_0_1_0_0\n"));
}

}  // namespace
}  // namespace finegrain
