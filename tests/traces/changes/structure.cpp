// SPDX-License-Identifier: MIT
#include "traces/changes/structure.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "calls.hpp"
#include "traces/place_of_call.hpp"

namespace finegrain::changes {
namespace {

std::string text(const std::optional<RegionName>& place) {
  return place ? std::string(line_of(*place)) : "-";
}

/// "before>after" of each place that differs.
std::vector<std::string> changed(const std::vector<Calls>& before, const std::vector<Calls>& after) {
  std::vector<Structure> was, is;
  for (const Calls& run : before)
    was.push_back(structure_of(run));
  for (const Calls& run : after)
    is.push_back(structure_of(run));
  std::vector<std::string> places;
  for (const StructureChange& change : compare_structures(was, is).changes)
    places.push_back(text(change.before) + ">" + text(change.after));
  return places;
}

using Places = std::vector<std::string>;

const Call sum_at_4{0, "MPI_Allreduce a.c:4", {allreduce}};
const Call sum_at_9{0, "MPI_Allreduce a.c:9", {allreduce}};
const Call barrier_at_7{0, "MPI_Barrier a.c:7", {barrier}};

}  // namespace

TEST_CASE("changes: a function of the source that moved is the same place, and so is one in another file") {
  const Call moved{0, "MPI_Allreduce a.c:30", {allreduce}}, elsewhere{0, "MPI_Allreduce b.c:1", {allreduce}};
  CHECK(changed({Calls({{sum_at_4, sum_at_9}})}, {Calls({{moved, sum_at_9}})}).empty());
  CHECK(changed({Calls({{sum_at_4, sum_at_9}})}, {Calls({{sum_at_4, elsewhere}})}).empty());
}

TEST_CASE("changes: a call more is new, and one less is gone") {
  const std::vector<Calls> two{Calls({{sum_at_4, sum_at_9}})},
      three{Calls({{sum_at_4, barrier_at_7, sum_at_9}})};
  CHECK(changed(two, three) == Places{"->a.c:7"});
  CHECK(changed(three, two) == Places{"a.c:7>-"});
}

TEST_CASE("changes: bytes, numbers of messages and partners are compared exactly") {
  const auto sends = [](const Post& post) {
    return std::vector{Calls({{{0, "MPI_Send a.c:4", {post}}}, {}, {}})};
  };
  CHECK(changed(sends(send_to(1, 8)), sends(send_to(1, 16))) == Places{"a.c:4>a.c:4"});
  CHECK(changed(sends(send_to(1, 8)), sends(send_to(2, 8))) == Places{"a.c:4>a.c:4"});
  CHECK(changed(sends(send_to(1, 8)), sends(send_to(1, 8))).empty());
}

TEST_CASE("changes: which rank's message came first, and how often a test found nothing, is no change") {
  const auto run = [](int first, int second, int tests) {
    std::vector<Call> master{{0, "MPI_Recv a.c:4", {receive_from(first, 8, true)}},
                             {0, "MPI_Recv a.c:4", {receive_from(second, 8, true)}}};
    for (int test = 0; test < tests; ++test)
      master.push_back({0, "MPI_Test a.c:8"});
    master.push_back({0, "MPI_Waitsome a.c:9", {Complete{.oldest = 2, .count = 2}}});
    return Calls(
        {master, {{0, "MPI_Send a.c:6", {send_to(0, 8)}}}, {{0, "MPI_Send a.c:6", {send_to(0, 8)}}}});
  };
  CHECK(changed({run(1, 2, 0)}, {run(2, 1, 5)}).empty());
}

TEST_CASE("changes: that a thread's work begins or ends to count is no call, also in some runs only") {
  const Calls plain({{sum_at_4, sum_at_9}});
  const Calls with_moments({{sum_at_4, {0.5, "thread begins"}, sum_at_9, {0.5, "thread ends"}}});
  CHECK(changed({plain, plain}, {with_moments, plain}).empty());
  CHECK(changed({with_moments}, {with_moments}).empty());
  CHECK(structure_of(with_moments).places.size() == 2);
  CHECK(structure_of(with_moments).places[1].ranges[0].first == 1);
}

TEST_CASE("changes: what differs from run to run has changed where it is further off than that") {
  const auto run = [](int times) { return Calls({std::vector(static_cast<std::size_t>(times), sum_at_4)}); };
  CHECK(changed({run(10), run(12)}, {run(11), run(13)}).empty());
  CHECK(changed({run(10), run(12)}, {run(14), run(14)}).empty());  // 2 more: as far as runs are apart
  CHECK(changed({run(10), run(12)}, {run(15), run(16)}) == Places{"a.c:4>a.c:4"});
}

}  // namespace finegrain::changes
