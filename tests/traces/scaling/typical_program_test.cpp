// SPDX-License-Identifier: MIT
#include "traces/scaling/typical_program.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/traces/formats/program.hpp"
#include "tests/traces/recording.hpp"
#include "traces/io/input_error.hpp"
#include "traces/scaling/lifted_ranks.hpp"
#include "traces/scaling/scaled_trace.hpp"
#include "traces/scaling/typical_laws.hpp"

using namespace finegrain;
using formats::RankCalls;
using scaling::ProcessGrid;

namespace {

using Code = std::function<void(RankCalls&, int rank, int ranks)>;
using Communicators = std::vector<formats::Communicator>;

void transfer(RankCalls& calls, TransferKind kind, int peer, std::int64_t size_bytes) {
  calls.begin(RegionName(kind == TransferKind::send ? "MPI_Send a.c:1" : "MPI_Recv a.c:2"), 0);
  calls.add(Post{.kind = kind, .blocking = true, .peer = peer, .size_bytes = size_bytes});
}

void wait_for_all(RankCalls& calls) {
  calls.begin(RegionName("MPI_Barrier a.c:9"), 0);
  calls.add(Collective{});
}

/// What `code` does on these numbers of ranks, and what is typical of it on another one.
class Typical {
 public:
  Typical(const Code& code, const std::vector<int>& recorded, int ranks,
          const std::function<Communicators(int ranks)>& communicators_of = {}) {
    std::int64_t operations = 0;
    for (const int count : recorded) {
      std::vector<RankCalls> all(static_cast<std::size_t>(count));
      for (int rank = 0; rank < count; ++rank) {
        all[static_cast<std::size_t>(rank)].begin(RegionName("MPI_Init a.c:0"), 0);
        code(all[static_cast<std::size_t>(rank)], rank, count);
      }
      test::write_program(folder_.path() / std::to_string(count), all,
                          communicators_of ? communicators_of(count) : Communicators());
      traces_.push_back(std::make_unique<Trace>(folder_.path() / std::to_string(count)));
      recordings_.push_back(
          std::make_unique<scaling::Recording>(scaling::read_recording(*traces_.back(), sites_, operations)));
      matched_.push_back({recordings_.back().get(), scaling::MatchedMessages(*recordings_.back())});
    }
    const scaling::TypicalProgram program(matched_, sites_, ranks);
    for (int rank = 0; rank < ranks; ++rank)
      ranks_.push_back(program.make(rank));
    totals_ = program.totals();
    communicators_ = program.communicators();
  }

  const std::vector<RankCalls>& ranks() const { return ranks_; }
  bool is_member(int rank, std::int32_t communicator) const {
    if (communicator == 0) return true;
    const auto& members = communicators_[static_cast<std::size_t>(communicator) - 1].ranks;
    return std::ranges::find(members, rank) != members.end();
  }

  /// By sender and receiver: bytes of all messages in their order. Both ends must agree on them.
  std::map<std::pair<int, int>, std::vector<std::int64_t>> messages() const {
    std::map<std::pair<int, int>, std::vector<std::int64_t>> sent;
    std::map<std::pair<int, int>, std::vector<std::int64_t>> received;
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank)
      for (const Operation& operation : ranks_[static_cast<std::size_t>(rank)].operations) {
        const auto* one = std::get_if<Post>(&operation);
        if (one == nullptr) continue;
        if (one->kind == TransferKind::send)
          sent[{rank, one->peer}].push_back(one->size_bytes);
        else
          received[{one->peer, rank}].push_back(one->size_bytes);
      }
    CHECK(sent == received);
    return sent;
  }
  std::int64_t count() const {
    std::int64_t sum = 0;
    for (const auto& pair : messages())
      sum += std::ssize(pair.second);
    return sum;
  }
  std::int64_t collectives(int rank) const {
    std::int64_t count = 0;
    for (const Operation& operation : ranks_[static_cast<std::size_t>(rank)].operations)
      count += std::holds_alternative<Collective>(operation) ? 1 : 0;
    return count;
  }
  const scaling::ProgramTotals& totals() const { return totals_; }

 private:
  test::TraceFolder folder_;
  scaling::Sites sites_;
  std::vector<std::unique_ptr<Trace>> traces_;
  std::vector<std::unique_ptr<scaling::Recording>> recordings_;
  std::vector<scaling::MatchedRecording> matched_;
  std::vector<RankCalls> ranks_;
  scaling::ProgramTotals totals_;
  Communicators communicators_;
};

/// Blocks of four ranks, in their order.
Communicators blocks_of_four(int ranks) {
  Communicators blocks;
  for (int first = 0; first < ranks; first += 4)
    blocks.push_back({{first, first + 1, first + 2, first + 3}});
  return blocks;
}

/// Steps that a program takes of which all sends wait for their receives, and each message takes one step;
/// none if it never ends. @pre there are blocking sends and receives only
std::optional<int> steps_of_rendezvous(const std::vector<RankCalls>& ranks) {
  std::vector<std::size_t> next(ranks.size());
  std::vector<int> now(ranks.size());
  const auto post_of = [&](std::size_t rank) {
    return next[rank] < ranks[rank].operations.size() ? &std::get<Post>(ranks[rank].operations[next[rank]])
                                                      : nullptr;
  };
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const Post* send = post_of(rank);
      if (send == nullptr || send->kind != TransferKind::send) continue;
      const auto peer = static_cast<std::size_t>(send->peer);
      const Post* receive = post_of(peer);
      if (receive == nullptr || receive->kind != TransferKind::receive ||
          receive->peer != static_cast<int>(rank))
        continue;
      now[rank] = now[peer] = std::max(now[rank], now[peer]) + 1;
      ++next[rank];
      ++next[peer];
      goes_on = true;
    }
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (post_of(rank) != nullptr) return std::nullopt;
  return std::ranges::max(now);
}

/// With both neighbours of an open line: even ranks send first, so that a send may wait for its receive.
void line_in_turn(RankCalls& calls, int rank, int ranks) {
  for (const int step : {-1, 1}) {
    const int way = rank % 2 == 0 ? step : -step;
    const int other = rank + way;
    if (other < 0 || other >= ranks) continue;
    const auto first = rank % 2 == 0 ? TransferKind::send : TransferKind::receive;
    const auto second = rank % 2 == 0 ? TransferKind::receive : TransferKind::send;
    transfer(calls, first, other, 1'000'000);
    transfer(calls, second, other, 1'000'000);
  }
}

/// With both neighbours of an open line: as much as its data say, 80 to 120 B.
void line_of_data(RankCalls& calls, int rank, int ranks) {
  for (const int step : {-1, 1}) {
    const int other = rank + step;
    if (other < 0 || other >= ranks) continue;
    const auto bytes = [](int from) { return 80 + 8 * (from * from % 6); };
    transfer(calls, TransferKind::send, other, bytes(rank));
    transfer(calls, TransferKind::receive, other, bytes(other));
  }
}

}  // namespace

TEST_CASE("a line of 16 ranks, typical of 32: 62 messages between neighbours, each sent and received") {
  const Typical typical(line_of_data, {4, 8, 16}, 32);
  CHECK(typical.count() == 2 * (32 - 1));
  CHECK(typical.totals().messages == 62);
  // Two copies of 16 ranks have 60 of them; the others are between the copies.
  int between_copies = 0;
  for (const auto& pair : typical.messages()) {
    const bool same_copy = pair.first.first / 16 == pair.first.second / 16;
    if (!same_copy) ++between_copies;
    CHECK((!same_copy || std::abs(pair.first.first - pair.first.second) == 1));
  }
  CHECK(between_copies == 2);
}

TEST_CASE("on the ranks of the largest recording, what is typical is what was recorded") {
  const Typical typical(line_of_data, {2, 4, 8}, 8);
  const auto messages = typical.messages();
  CHECK(messages.size() == 14);
  CHECK(messages.at({3, 4}) == std::vector<std::int64_t>{80 + 8 * 3});
}

TEST_CASE("a closed line: each rank has two neighbours, on any number of ranks") {
  const Code ring = [](RankCalls& calls, int rank, int ranks) {
    transfer(calls, TransferKind::send, (rank + 1) % ranks, 64);
    transfer(calls, TransferKind::receive, (rank + ranks - 1) % ranks, 64);
  };
  const Typical typical(ring, {3, 6, 12}, 24);
  CHECK(typical.count() == 24);
  CHECK(typical.messages().contains({23, 0}));
  CHECK(typical.messages().contains({11, 12}));
}

TEST_CASE("24 ranks of 16: what is beyond the wanted grid is cut off, and both ends of its messages") {
  const Typical typical(line_of_data, {4, 8, 16}, 24);
  CHECK(typical.count() == 2 * (24 - 1));
}

TEST_CASE("a master stays one rank, and has a message from each of the others") {
  const Code farm = [](RankCalls& calls, int rank, int ranks) {
    if (rank > 0) return transfer(calls, TransferKind::send, 0, 8);
    for (int other = ranks - 1; other > 0; --other)
      transfer(calls, TransferKind::receive, other, 8);
  };
  const Typical typical(farm, {4, 8, 16}, 32);
  CHECK(typical.count() == 31);
  for (const auto& pair : typical.messages())
    CHECK(pair.first.second == 0);
}

TEST_CASE("a counter at a master: all copies lock it at the master") {
  const Code counter = [](RankCalls& calls, int rank, int ranks) {
    wait_for_all(calls);
    for (int task = 0; task < (rank > 0 ? 2 + ranks % 3 : 0); ++task) {
      calls.begin(RegionName("MPI_Win_lock a.c:3"), 0);
      calls.add(Lock{.acquire = true, .exclusive = true, .peer = 0});
      calls.begin(RegionName("MPI_Fetch_and_op a.c:4"), 0);
      calls.add(Post{.kind = TransferKind::fetch, .blocking = true, .peer = 0, .size_bytes = 8});
      calls.begin(RegionName("MPI_Win_unlock a.c:5"), 0);
      calls.add(Lock{.acquire = false, .exclusive = true, .peer = 0});
    }
    // The master has its own memory's lock once.
    if (rank > 0) return;
    calls.begin(RegionName("MPI_Win_lock a.c:6"), 0);
    calls.add(Lock{.acquire = true, .exclusive = true, .peer = 0});
    calls.begin(RegionName("MPI_Win_unlock a.c:7"), 0);
    calls.add(Lock{.acquire = false, .exclusive = true, .peer = 0});
  };
  const Typical typical(counter, {4, 8, 16}, 32);
  // 16 ranks have 3 tasks each. The master has its lock once, and its copy, rank 16, never.
  for (int rank = 0; rank < 32; ++rank) {
    int acquired = 0;
    int released = 0;
    for (const Operation& operation : typical.ranks()[static_cast<std::size_t>(rank)].operations) {
      const auto* lock = std::get_if<Lock>(&operation);
      if (lock == nullptr) continue;
      CHECK(lock->peer == 0);
      ++(lock->acquire ? acquired : released);
    }
    CHECK(acquired == (rank == 0 ? 1 : rank == 16 ? 0 : 3));
    CHECK(released == acquired);
  }
}

TEST_CASE("messages in communicators of four ranks stay between ranks of one communicator") {
  // The first rank has messages with all others, in as many communicators as there are copies.
  const auto pairs = [](int ranks) {
    Communicators all;
    for (int other = 1; other < ranks; ++other)
      all.push_back({{0, other}});
    return all;
  };
  const Code farm = [](RankCalls& calls, int rank, int ranks) {
    for (int other = 1; other < ranks; ++other) {
      if (rank != 0 && rank != other) continue;
      calls.begin(RegionName("MPI_Barrier a.c:3"), 0);
      calls.add(Collective{.communicator = other});
      calls.begin(RegionName(rank == 0 ? "MPI_Send a.c:4" : "MPI_Recv a.c:5"), 0);
      calls.add(Post{.kind = rank == 0 ? TransferKind::send : TransferKind::receive,
                     .blocking = true,
                     .peer = rank == 0 ? other : 0,
                     .communicator = other,
                     .size_bytes = 8});
    }
  };
  const Code ring = [](RankCalls& calls, int rank, int /*ranks*/) {
    const int block = rank / 4;
    calls.begin(RegionName("MPI_Barrier a.c:3"), 0);
    calls.add(Collective{.communicator = block + 1});
    for (const auto kind : {TransferKind::send, TransferKind::receive}) {
      const int step = kind == TransferKind::send ? 1 : 3;
      calls.begin(RegionName(kind == TransferKind::send ? "MPI_Send a.c:4" : "MPI_Recv a.c:5"), 0);
      calls.add(Post{.kind = kind,
                     .blocking = true,
                     .peer = 4 * block + (rank + step) % 4,
                     .communicator = block + 1,
                     .size_bytes = 8});
    }
  };
  const auto check = [](const Typical& typical) {
    for (std::size_t rank = 0; rank < typical.ranks().size(); ++rank)
      for (const Operation& operation : typical.ranks()[rank].operations)
        if (const auto* post = std::get_if<Post>(&operation)) {
          CHECK(typical.is_member(static_cast<int>(rank), post->communicator));
          CHECK(typical.is_member(post->peer, post->communicator));
        }
  };
  const Typical rings(ring, {4, 8, 16}, 32, blocks_of_four);
  check(rings);
  CHECK(rings.count() == 32);
  const Typical farms(farm, {4, 8, 16}, 32, pairs);
  check(farms);
  CHECK(farms.count() >= 30);
}

TEST_CASE("a gatherv whose root is cut off: the first rank that is there has the root's table") {
  const Code gather = [](RankCalls& calls, int rank, int /*ranks*/) {
    const Collective collective{
        .kind = CollectiveKind::gatherv, .communicator = rank / 4 + 1, .root = 3, .size_bytes = 10};
    calls.begin(RegionName("MPI_Gatherv a.c:3"), 0);
    const std::vector<std::int64_t> sizes{10, 20, 30, 40};
    if (rank % 4 == 3)
      calls.add(collective, sizes);
    else
      calls.add(collective);
  };
  // The second copy has ranks 16 and 17 only, which are the first two of a block.
  const Typical typical(gather, {4, 8, 16}, 18, blocks_of_four);
  const auto of = [&](std::size_t rank) {
    return std::get<Collective>(typical.ranks()[rank].operations.back());
  };
  CHECK(of(3).root == 3);
  CHECK(typical.ranks()[3].sizes == std::vector<std::int64_t>{10, 20, 30, 40});
  CHECK(typical.ranks()[0].sizes.empty());
  CHECK(of(16).root == 0);
  CHECK(of(17).root == 0);
  CHECK(of(16).communicator == of(17).communicator);
  CHECK(typical.ranks()[16].sizes == std::vector<std::int64_t>{10, 20});
  CHECK(typical.ranks()[17].sizes.empty());
}

TEST_CASE("sends that wait for their receives: 64 copies of a line take as many steps as 8, and all end") {
  const std::optional<int> few = steps_of_rendezvous(Typical(line_in_turn, {4, 8, 16}, 8 * 16).ranks());
  const std::optional<int> many = steps_of_rendezvous(Typical(line_in_turn, {4, 8, 16}, 64 * 16).ranks());
  REQUIRE(few);
  REQUIRE(many);
  CHECK(*many == *few);
  CHECK(*few <= 6);  // 4 of each rank; the messages between the copies can add 2
}

TEST_CASE("messages between all ranks, sent until they are received: those between copies end, too") {
  const Code all_to_all = [](RankCalls& calls, int rank, int ranks) {
    for (int step = 1; step < ranks; ++step) {
      const int other = rank ^ step;
      transfer(calls, rank < other ? TransferKind::send : TransferKind::receive, other, 8 + step % 3);
      transfer(calls, rank < other ? TransferKind::receive : TransferKind::send, other, 8 + step % 3);
    }
  };
  const Typical typical(all_to_all, {4, 8, 16}, 64);
  // Four copies have 240 messages each; each rank has more, to other copies.
  CHECK(typical.count() > 4 * 240);
  int between_copies = 0;
  for (const auto& pair : typical.messages())
    if (pair.first.first / 16 != pair.first.second / 16) ++between_copies;
  CHECK(between_copies > 0);
  CHECK(steps_of_rendezvous(typical.ranks()));
}

TEST_CASE("messages to ranks far away: what the copies have too few of goes to all copies") {
  const Code to_others = [](RankCalls& calls, int rank, int ranks) {
    for (int step = 3; step <= ranks - 3; ++step)
      transfer(calls, TransferKind::send, (rank + step) % ranks, 8);
    for (int step = 3; step <= ranks - 3; ++step)
      transfer(calls, TransferKind::receive, (rank + ranks - step) % ranks, 8);
  };
  const Typical typical(to_others, {8, 16}, 64);
  std::map<int, int> by_copies;  // messages, by how many copies further on they go
  for (const auto& [pair, sizes] : typical.messages())
    by_copies[(pair.second / 16 - pair.first / 16 + 4) % 4] += static_cast<int>(sizes.size());
  for (int copies = 0; copies < 4; ++copies)
    CHECK(by_copies[copies] > 0);
}

TEST_CASE("iterations that grow with the ranks: all ranks repeat the same calls") {
  const Code solver = [](RankCalls& calls, int /*rank*/, int ranks) {
    for (int iteration = 0; iteration < ranks; ++iteration)
      wait_for_all(calls);
  };
  const Typical typical(solver, {4, 8, 16}, 32);
  CHECK(typical.collectives(0) == 32);
  CHECK(typical.collectives(31) == 32);
}

TEST_CASE("parts of one whole: messages shrink as the ranks grow, at both ends") {
  const Code parts = [](RankCalls& calls, int rank, int ranks) {
    transfer(calls, TransferKind::send, (rank + 1) % ranks, 6400 / ranks);
    transfer(calls, TransferKind::receive, (rank + ranks - 1) % ranks, 6400 / ranks);
  };
  for (const auto& pair : Typical(parts, {4, 8, 16}, 32).messages())
    CHECK(pair.second == std::vector<std::int64_t>{200});
}

TEST_CASE("a message without another end is refused") {
  const Code lost = [](RankCalls& calls, int rank, int /*ranks*/) {
    if (rank == 0) transfer(calls, TransferKind::send, 1, 8);
  };
  CHECK_THROWS_WITH(Typical(lost, {2, 4}, 8), Catch::Contains("rank 1 does not receive"));
}

TEST_CASE("2 x 2 ranks side by side: rank 5 of 2 x 4 is rank 3 of the second copy") {
  const scaling::LiftedRanks lifted(ProcessGrid(4, {2}), ProcessGrid(8, {2, true}));
  CHECK(lifted.copies() == 2);
  // Place (1, 1) of 2 x 4 is (1, 1) of the first copy; (1, 3) is (1, 1) of the second.
  CHECK(lifted.recorded_of(5) == 3);
  CHECK(lifted.copy_of(5) == 0);
  CHECK(lifted.recorded_of(7) == 3);
  CHECK(lifted.copy_of(7) == 1);
  CHECK(lifted.rank_of(3, 1) == 7);
}

TEST_CASE("laws: 6 and 14 messages on 4 and 8 ranks are pairs of neighbours on a line, 30 on 16") {
  const ProcessGrid on_4(4, {1});
  const ProcessGrid on_8(8, {1});
  const std::vector<scaling::Recorded> recorded{{&on_4, 6}, {&on_8, 14}};
  const scaling::FittedLaw law =
      scaling::fitted_law(scaling::laws_of_messages(1, 1, false), recorded, on_8, ProcessGrid(16, {1}));
  CHECK(law.text == "pairs of neighbours");
  CHECK(law.spread == Approx(0).margin(1e-12));
  CHECK(law.ratio == Approx(30. / 14));
}

TEST_CASE("no exact rule: what is typical is written, and the trace says so and how far off it is") {
  const test::TraceFolder folder;
  std::vector<std::unique_ptr<Trace>> traces;
  std::vector<const Trace*> recordings;
  for (const int ranks : {4, 8, 16}) {
    std::vector<RankCalls> all(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank)
      line_of_data(all[static_cast<std::size_t>(rank)], rank, ranks);
    for (int rank = 0; rank < ranks; ++rank)
      wait_for_all(all[static_cast<std::size_t>(rank)]);
    test::write_program(folder.path() / std::to_string(ranks), all);
    traces.push_back(std::make_unique<Trace>(folder.path() / std::to_string(ranks)));
    recordings.push_back(traces.back().get());
  }
  CHECK_THROWS_AS(scaling::scale_trace(recordings, 32, folder.path() / "exact"), scaling::NoExactProgram);
  const formats::Import import =
      scaling::scale_trace(recordings, 32, folder.path() / "typical", scaling::Exactly::typical);
  CHECK(import.messages == 2 * (32 - 1));
  const Trace written(folder.path() / "typical");
  const std::string& scaled = written.manifest().environment.at("scaled");
  CHECK_THAT(scaled, Catch::Contains("typical, and not exact"));
  CHECK_THAT(scaled, Catch::Contains("messages +0.0 %"));
}
