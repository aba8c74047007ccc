// SPDX-License-Identifier: MIT
#include "traces/scaling/disturbances.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <vector>

using namespace finegrain;
using namespace finegrain::scaling;

namespace {

constexpr int calls_of_a_rank = 40;

/// The work before a rank's n-th call.
using WorkOf = std::function<double(int rank, int nth)>;

Recording recorded_work(int ranks, const WorkOf& work_ns) {
  Recording recording{"file", std::vector<RecordedRank>(static_cast<std::size_t>(ranks))};
  for (int rank = 0; rank < ranks; ++rank)
    for (int nth = 0; nth < calls_of_a_rank; ++nth)
      recording.ranks[static_cast<std::size_t>(rank)].calls.push_back(
          {.site = 0, .work_ns = work_ns(rank, nth)});
  return recording;
}

double work_ns(const Recording& recording, int rank, int nth) {
  return recording.ranks[static_cast<std::size_t>(rank)].calls[static_cast<std::size_t>(nth)].work_ns;
}

/// The sum of what disturbances added to recordings on 4 and 8 ranks.
LeftOut left_out(const WorkOf& on_4, const WorkOf& on_8) {
  std::vector<Recording> recordings{recorded_work(4, on_4), recorded_work(8, on_8)};
  return leave_out_disturbances(recordings);
}

double always_10(int, int) {
  return 10;
}

}  // namespace

TEST_CASE("one stretch far above all others of its kind gets the usual time") {
  std::vector<Recording> recordings{recorded_work(4, always_10), recorded_work(8, [](int rank, int nth) {
                                      return rank == 7 && nth == 12 ? 20'000 : 10 + rank;
                                    })};
  const LeftOut left_out = leave_out_disturbances(recordings);
  CHECK(work_ns(recordings[1], 7, 12) == 10 + 7);
  CHECK(work_ns(recordings[1], 7, 13) == 10 + 7);
  CHECK(left_out.added_ns == 20'000 - (10 + 7));
  CHECK(left_out.disturbed == 1);
  CHECK(left_out.stretches == (4 + 8) * calls_of_a_rank);
  CHECK(left_out.work_ns == 4 * 40 * 10 + 40 * (8 * 10 + 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7) - (10 + 7) + 20'000);
}

TEST_CASE("a rank that is slow in every call stays slow, and so does a call that is slow on every rank") {
  const WorkOf slow_rank = [](int rank, int) { return rank == 3 ? 1000 : 10; };
  CHECK(left_out(always_10, slow_rank).disturbed == 0);
  const WorkOf first_use_of_memory = [](int, int nth) { return nth == 0 ? 1000 : 10; };
  CHECK(left_out(always_10, first_use_of_memory).disturbed == 0);
}

TEST_CASE("what one rank does once in every recording is the program's, and what is not rare is too") {
  const WorkOf writes_a_file = [](int rank, int nth) { return rank == 0 && nth == 20 ? 1000 : 10; };
  CHECK(left_out(writes_a_file, writes_a_file).disturbed == 0);
  CHECK(left_out(always_10, writes_a_file).disturbed == 1);
  // It takes as long where the other work takes longer: 990 of 500 + 990.
  const WorkOf writes_among_more = [](int rank, int nth) { return rank == 0 && nth == 20 ? 1490 : 500; };
  CHECK(left_out(writes_among_more, writes_a_file).disturbed == 0);
  // 16 of 320: 5 %. One less is rare.
  const WorkOf not_rare = [](int rank, int nth) { return nth % 8 == rank && nth / 8 < 2 ? 1000 : 10; };
  CHECK(left_out(always_10, not_rare).disturbed == 0);
  const WorkOf rare = [&](int rank, int nth) { return rank == 0 && nth == 0 ? 10 : not_rare(rank, nth); };
  CHECK(left_out(always_10, rare).disturbed == 15);
}

TEST_CASE("five times the usual time is not yet a disturbance") {
  const auto once = [](double time_ns) {
    return [time_ns](int rank, int nth) { return rank == 2 && nth == 5 ? time_ns : 10; };
  };
  CHECK(left_out(always_10, once(50)).disturbed == 0);
  CHECK(left_out(always_10, once(51)).disturbed == 1);
}

TEST_CASE("where ranks shared cores, what comes and goes on single ranks is left out, what lasts is not") {
  // Rank 3 always works twice as much; the 20th call is heavy everywhere; every fifth call of each rank, at
  // different ones, takes half as much again.
  const WorkOf work = [](int rank, int nth) {
    return 10. * (rank == 3 ? 2 : 1) * (nth == 20 ? 3 : 1) * ((nth + rank) % 5 == 0 ? 1.5 : 1);
  };
  std::vector<Recording> recordings{recorded_work(8, work), recorded_work(8, work)};
  recordings[1].shared_cores = true;
  const LeftOut left_out = leave_out_disturbances(recordings);
  CHECK(left_out.disturbed == 0);
  for (int rank = 0; rank < 8; ++rank)
    for (int nth = 0; nth < calls_of_a_rank; ++nth) {
      CHECK(work_ns(recordings[0], rank, nth) == work(rank, nth));
      CHECK(work_ns(recordings[1], rank, nth) ==
            Approx(10. * (rank == 3 ? 2 : 1) * (nth == 20 ? 3 : 1)).epsilon(1e-6));
    }
  CHECK(left_out.on_shared_cores_ns == Approx(9 * 10 * 8 * 0.5 + 20 * 2 * 0.5).epsilon(1e-6));
}
