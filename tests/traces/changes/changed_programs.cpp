// SPDX-License-Identifier: MIT
#include "traces/changes/changed_programs.hpp"

#include <catch2/catch.hpp>

#include "calls.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::changes;

namespace {

/// All loops of a rank.
struct ReadRank {
  std::vector<Body> bodies;
  std::vector<std::vector<double>> regions_s;
};
ReadRank read(const Programs& programs, int rank) {
  ReadRank all;
  const auto cursor = programs.rank(rank);
  while (const Loop* loop = cursor->next()) {
    all.bodies.push_back(*loop->body);
    all.regions_s.emplace_back(loop->regions_s.begin(), loop->regions_s.end());
  }
  return all;
}
ChangedPrograms changed(const Programs& programs, const std::string& text) {
  return ChangedPrograms(programs, {parse_program_change(text)});
}
std::int64_t bytes(const Body& body) {
  return std::get<Post>(body.operations.back()).size_bytes;
}

}  // namespace

TEST_CASE("changed programs: only the calls of the place are changed, and only the work before them") {
  const Calls programs(
      {{{3, "MPI_Send halo.c:8", {send_to(1, 1000)}}, {5, "MPI_Send halo.c:9", {send_to(1, 10)}}},
       {{1, "MPI_Recv halo.c:7", {receive_from(0, 1000)}}, {1, "MPI_Recv halo.c:7", {receive_from(0, 10)}}}});
  const ChangedPrograms other = changed(programs, "place=halo.c:8 size=x0.5 work=x0.2");
  const ReadRank sender = read(other, 0);
  CHECK(bytes(sender.bodies[0]) == 1000 / 2);
  CHECK(bytes(sender.bodies[1]) == 10);
  CHECK(sender.regions_s[0][0] == Approx(3 * 0.2));
  CHECK(sender.regions_s[1][0] == 5);
  CHECK(read(other, 1).bodies == read(programs, 1).bodies);
  CHECK(other.notes() ==
        std::vector<std::string>{"changed: place=halo.c:8 size=x0.5 work=x0.2 (1 call; 500 B, were 1000 B; "
                                 "0.6 s of work of all ranks, were 3 s)"});
}

TEST_CASE("changed programs: calls without bytes, and those that are no collectives, are not counted") {
  const std::vector<Call> rank{
      {1, "MPI_Init"}, {1, "MPI_Barrier a.c:1", {barrier}}, {1, "MPI_Allreduce a.c:2", {allreduce}}};
  const Calls programs({rank, rank});
  const auto note = [&](const char* change) { return changed(programs, change).notes().front(); };
  CHECK(note("size=x2") == "changed: size=x2 (2 calls; 32 B, were 16 B)");
  CHECK(note("function=MPI_Allreduce collective=ring") ==
        "changed: function=MPI_Allreduce collective=ring (2 calls)");
  CHECK(note("work=x2") == "changed: work=x2 (6 calls; 12 s of work of all ranks, were 6 s)");
}

TEST_CASE("changed programs: a collective's sizes are those of all its ranks, or it is refused") {
  const auto at = [](const char* place) { return std::vector<Call>{{1, place, {allreduce}}}; };
  const Calls one_place({at("MPI_Allreduce a.c:1"), at("MPI_Allreduce a.c:1")});
  const Body body = read(changed(one_place, "place=a.c:1 size=x3"), 1).bodies.front();
  CHECK(std::get<Collective>(body.operations.back()).size_bytes == 3 * 8);
  const Calls two_places({at("MPI_Allreduce a.c:1"), at("MPI_Allreduce a.c:2")});
  CHECK_THROWS_AS(changed(two_places, "place=a.c:1 size=x3"), InputError);
  CHECK_NOTHROW(changed(two_places, "function=MPI_Allreduce size=x3"));
  CHECK_NOTHROW(changed(two_places, "place=a.c:1 work=x3"));
}

TEST_CASE("changed programs: sizes that differ from rank to rank change, and numbers of neighbours do not") {
  const auto with = [](CollectiveKind kind, std::vector<std::int64_t> sizes) {
    Body body;
    body.add_region(RegionName("MPI_Any"),
                    Collective{.kind = kind, .size_count = static_cast<int>(sizes.size())});
    body.sizes = std::move(sizes);
    return body;
  };
  Schedule schedule;
  schedule.run.ranks = 1;
  schedule.ranks = {with(CollectiveKind::allgatherv, {10, 20})};
  CHECK(read(changed(SchedulePrograms(schedule), "size=x2"), 0).bodies.front().sizes ==
        std::vector<std::int64_t>{20, 40});
  // One to send to, one to receive from: (rank 0, 8 bytes), (rank 0, 6 bytes).
  schedule.ranks = {with(CollectiveKind::neighbor_alltoallv, {1, 1, 0, 8, 0, 6})};
  CHECK(read(changed(SchedulePrograms(schedule), "size=x2"), 0).bodies.front().sizes ==
        std::vector<std::int64_t>{1, 1, 0, 16, 0, 12});
}
