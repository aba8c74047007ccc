// SPDX-License-Identifier: MIT
#include "traces/scaling/typical_program.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <memory>
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
  Typical(const Code& code, const std::vector<int>& recorded, int ranks) {
    std::int64_t operations = 0;
    for (const int count : recorded) {
      std::vector<RankCalls> all(static_cast<std::size_t>(count));
      for (int rank = 0; rank < count; ++rank) {
        all[static_cast<std::size_t>(rank)].begin(RegionName("MPI_Init a.c:0"), 0);
        code(all[static_cast<std::size_t>(rank)], rank, count);
      }
      test::write_program(folder_.path() / std::to_string(count), all);
      traces_.push_back(std::make_unique<Trace>(folder_.path() / std::to_string(count)));
      recordings_.push_back(
          std::make_unique<scaling::Recording>(scaling::read_recording(*traces_.back(), sites_, operations)));
      matched_.push_back({recordings_.back().get(), scaling::MatchedMessages(*recordings_.back())});
    }
    const scaling::TypicalProgram program(matched_, sites_, ranks);
    for (int rank = 0; rank < ranks; ++rank)
      ranks_.push_back(program.make(rank));
    totals_ = program.totals();
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
};

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
