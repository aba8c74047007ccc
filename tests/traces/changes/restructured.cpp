// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <string>

#include "calls.hpp"
#include "traces/changes/all_changes.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::changes;

namespace {

using Ranks = std::vector<std::vector<Call>>;

Post isend(int peer, std::int64_t bytes, int tag = 0) {
  return {.kind = TransferKind::send, .peer = peer, .tag = tag, .size_bytes = bytes};
}
Post irecv(int peer, std::int64_t bytes, int tag = 0) {
  return {.kind = TransferKind::receive, .peer = peer, .tag = tag, .size_bytes = bytes};
}
Post put(int peer, std::int64_t bytes, bool blocking = false) {
  return {.kind = TransferKind::put, .blocking = blocking, .peer = peer, .size_bytes = bytes};
}
Call wait(std::int64_t oldest, std::int64_t count = 1, double work_s = 0) {
  return {work_s, count == 1 ? "MPI_Wait a.c:8" : "MPI_Waitall a.c:9", {Complete{oldest, count}}};
}
Call sent(const Post& post, const std::string& place = "MPI_Isend a.c:1") {
  return {0, place, {post}};
}
Call received(const Post& post) {
  return {0, "MPI_Irecv a.c:2", {post}};
}

/// What a rank does, a line for each operation, and for work that takes time.
std::vector<std::string> lines(const Programs& programs, int rank) {
  std::vector<std::string> all;
  const auto cursor = programs.rank(rank);
  while (const Loop* loop = cursor->next())
    for (std::int64_t time = 0; time < loop->count; ++time)
      for (std::size_t r = 0; r < loop->body->regions.size(); ++r) {
        if (loop->regions_s[r] > 0) all.push_back(std::to_string(loop->regions_s[r]));
        for (const Operation& operation : loop->body->operations_of(loop->body->regions[r]))
          if (!std::holds_alternative<Work>(operation)) all.push_back(describe(operation));
      }
  return all;
}

/// That a change makes one program of the other.
void check_change(const std::string& text, const Ranks& before, const Ranks& after) {
  const Calls programs(before);
  const Calls expected(after);
  const AllChanges changed(programs, {text});
  for (int rank = 0; rank < programs.ranks(); ++rank)
    CHECK(lines(changed.programs(), rank) == lines(expected, rank));
}

void check_refused(const std::string& text, const Ranks& ranks, const std::string& words) {
  const Calls programs(ranks);
  CHECK_THROWS_WITH(AllChanges(programs, {text}), Catch::Contains(words));
}

constexpr const char* merge = "place=a.c:1 messages=merge";
constexpr const char* overlap = "place=a.c:8 overlap";

}  // namespace

TEST_CASE("merged messages: sent where the last was, received where the first was") {
  check_change(merge,
               {{sent(isend(1, 10)), sent(isend(1, 20)), sent(isend(1, 30)), wait(3, 3)},
                {received(irecv(0, 10)), received(irecv(0, 20)), received(irecv(0, 30)), wait(3, 3)}},
               {{sent(isend(1, 60)), wait(1)}, {received(irecv(0, 60)), wait(1)}});
  // To two ranks in turn, and by calls that block.
  check_change(merge,
               {{sent(send_to(1, 1)), sent(send_to(2, 2)), sent(send_to(1, 3)), sent(send_to(2, 4))},
                {received(receive_from(0, 1)), received(receive_from(0, 3))},
                {received(receive_from(0, 2)), received(receive_from(0, 4))}},
               {{sent(send_to(1, 1 + 3)), sent(send_to(2, 2 + 4))},
                {received(receive_from(0, 1 + 3))},
                {received(receive_from(0, 2 + 4))}});
}

TEST_CASE("merged messages: who waited for one of them waits for all, once") {
  // The third request is of another message, which stays; then the requests are waited for in another order.
  check_change(
      merge,
      {{sent(isend(1, 10)), sent(isend(1, 20)), wait(2, 2)},
       {received(irecv(0, 10)), received(irecv(0, 20)), received(irecv(2, 5)), wait(2), wait(1), wait(3)},
       {sent(isend(1, 5), "MPI_Isend a.c:3"), wait(1)}},
      {{sent(isend(1, 30)), wait(1)},
       {received(irecv(0, 30)), received(irecv(2, 5)), wait(2), wait(1)},
       {sent(isend(1, 5), "MPI_Isend a.c:3"), wait(1)}});
  // A receive that blocked waits for the message; who waits for it later does not.
  check_change(merge,
               {{sent(isend(1, 10)), sent(isend(1, 20)), wait(2, 2)},
                {received(irecv(0, 10)), received(receive_from(0, 20)), wait(1)}},
               {{sent(isend(1, 30)), wait(1)}, {received(irecv(0, 30)), wait(1)}});
}

TEST_CASE("merged messages: a step ends where the sender waits") {
  const Ranks steps = {
      {sent(isend(1, 1)), wait(1), sent(isend(1, 2)), sent(isend(1, 3)), wait(2, 2)},
      {received(receive_from(0, 1)), received(receive_from(0, 2)), received(receive_from(0, 3))}};
  check_change(merge, steps,
               {{sent(isend(1, 1)), wait(1), sent(isend(1, 2 + 3)), wait(1)},
                {received(receive_from(0, 1)), received(receive_from(0, 2 + 3))}});
  CHECK(AllChanges(Calls(steps), {merge}).notes() ==
        std::vector<std::string>{"changed: place=a.c:1 messages=merge (2 messages, were 3)"});
  check_refused(merge,
                {{sent(isend(1, 1)), wait(1), sent(isend(1, 1)), wait(1)},
                 {received(receive_from(0, 1)), received(receive_from(0, 1))}},
                "no two messages");
}

TEST_CASE("merged messages: of several tags they have a tag of their own, and are received at the first") {
  // Tags 0 and 7 are used, so 1 is the lowest that is left. Rank 1 receives tag 7 first, and something else
  // with tag 0 between the two steps.
  const auto others = [](const Post& post) { return sent(post, "MPI_Isend a.c:3"); };
  check_change(
      merge,
      {{sent(isend(1, 10, 0)), sent(isend(1, 20, 7)), wait(2, 2), others(isend(1, 5, 0)), wait(1),
        sent(isend(1, 30, 7)), sent(isend(1, 40, 0)), wait(2, 2)},
       {received(irecv(0, 20, 7)), received(irecv(0, 10, 0)), wait(2, 2), received(irecv(0, 5, 0)), wait(1),
        received(irecv(0, 40, 0)), received(irecv(0, 30, 7)), wait(1), wait(2)}},
      {{sent(isend(1, 30, 1)), wait(1), others(isend(1, 5, 0)), wait(1), sent(isend(1, 70, 1)), wait(1)},
       {received(irecv(0, 30, 1)), wait(1), received(irecv(0, 5, 0)), wait(1), received(irecv(0, 70, 1)),
        wait(1)}});
  // Other messages with one of the tags between them do not matter then.
  check_change(merge,
               {{sent(isend(1, 10, 0)), others(isend(1, 5, 0)), sent(isend(1, 20, 1)), wait(3, 3)},
                {received(irecv(0, 10, 0)), received(irecv(0, 5, 0)), received(irecv(0, 20, 1)), wait(3, 3)}},
               {{others(isend(1, 5, 0)), sent(isend(1, 30, 2)), wait(2, 2)},
                {received(irecv(0, 30, 2)), received(irecv(0, 5, 0)), wait(2, 2)}});
}

TEST_CASE("merged messages: puts to one rank are one put, where the last of them was") {
  const auto put_at = [](const Post& post, const char* place = "MPI_Put a.c:1") { return sent(post, place); };
  const Call all{0, "MPI_Win_fence a.c:4", {Complete::all()}};
  check_change(merge,
               {{put_at(put(1, 10)), put_at(put(1, 5), "MPI_Put a.c:3"), put_at(put(2, 7)),
                 put_at(put(1, 20)), all, put_at(put(1, 1)), all}},
               {{put_at(put(1, 5), "MPI_Put a.c:3"), put_at(put(2, 7)), put_at(put(1, 30)), all,
                 put_at(put(1, 1)), all}});
  // Puts that block, too.
  check_change(merge, {{put_at(put(1, 10, true)), put_at(put(1, 20, true))}}, {{put_at(put(1, 30, true))}});
  // Whoever waited for one of them waits for the one that is left, once.
  check_change(merge, {{put_at(put(1, 10)), put_at(put(1, 20)), wait(2), wait(1)}},
               {{put_at(put(1, 30)), wait(1)}});
}

TEST_CASE("merged messages: where the order is ambiguous, they are refused") {
  check_refused(merge,
                {{sent(isend(1, 1)), sent(isend(1, 9), "MPI_Isend a.c:3"), sent(isend(1, 1)), wait(3, 3)},
                 {received(receive_from(0, 1)), received(receive_from(0, 9)), received(receive_from(0, 1))}},
                "other messages with tag 0 between");
  check_refused(merge,
                {{sent(isend(1, 1)), sent(isend(1, 1)), wait(2, 2)},
                 {received(receive_from(0, 1, true)), received(receive_from(0, 1, true))}},
                "of any source");
  check_refused("place=a.c:8 messages=merge", {{sent(isend(1, 1)), wait(1)}, {received(receive_from(0, 1))}},
                "send no messages");
  check_refused("place=a.c:5 messages=merge", {{sent(isend(1, 1)), wait(1)}, {received(receive_from(0, 1))}},
                "no call of the recording");
}

TEST_CASE("overlapped waits: behind the work that follows, before the next call") {
  // Two waits in a row move behind the work after both; the second had work of its own before it.
  check_change(overlap,
               {{received(irecv(1, 5)),
                 received(irecv(1, 6)),
                 wait(2, 1, 1),
                 wait(1, 1, 2),
                 {4, "MPI_Allreduce a.c:3", {allreduce}},
                 {8, "MPI_Finalize a.c:4"}},
                {sent(send_to(0, 5)), sent(send_to(0, 6)), {0, "MPI_Allreduce a.c:3", {allreduce}}}},
               {{received(irecv(1, 5)),
                 received(irecv(1, 6)),
                 {1, "x"},
                 {2, "x"},
                 {4, "x"},
                 wait(2),
                 wait(1),
                 {0, "MPI_Allreduce a.c:3", {allreduce}},
                 {8, "MPI_Finalize a.c:4"}},
                {sent(send_to(0, 5)), sent(send_to(0, 6)), {0, "MPI_Allreduce a.c:3", {allreduce}}}});
  const Calls last({{received(irecv(0, 5)), sent(send_to(0, 5)), wait(1)}});
  CHECK(lines(AllChanges(last, {overlap}).programs(), 0) == lines(last, 0));
}

TEST_CASE("overlapped waits: calls that do more than wait for what they name are refused") {
  check_refused("place=a.c:2 overlap", {{received(receive_from(0, 1))}}, "does more than wait");
  check_refused("place=a.c:7 overlap", {{{0, "MPI_Waitany a.c:7", {Complete{1, 1}}}}}, "what has arrived");
  check_refused("place=a.c:8 overlap size=x2", {{wait(1)}}, "several changes at once");
}

TEST_CASE("algorithms of collectives: of the calls that are meant only, and the same on all ranks") {
  const std::vector<Call> rank = {{0, "MPI_Allreduce a.c:1", {allreduce}},
                                  {0, "MPI_Allreduce a.c:2", {allreduce}}};
  const Calls programs({rank, rank});
  const AllChanges changed(programs, {"place=a.c:2 work=x1", "place=a.c:2 collective=ring:4096"});
  const auto cursor = changed.programs().rank(1);
  std::vector<std::int32_t> chosen;
  while (const Loop* loop = cursor->next())
    chosen.push_back(std::get<Collective>(loop->body->operations.back()).chosen);
  CHECK(chosen == std::vector<std::int32_t>{0, 2});
  REQUIRE(changed.algorithms().size() == 1);
  CHECK(changed.algorithms().front().number == 2);
  CHECK(changed.algorithms().front().algorithm == "ring:4096");
  CHECK(changed.algorithms().front().kind == CollectiveKind::allreduce);
  check_refused("place=a.c:1 collective=ring", {{rank[0]}, {rank[1]}}, "different sizes or algorithms");
  check_refused("place=a.c:1 collective=ring", {{sent(isend(0, 1))}}, "is a collective operation");
}
