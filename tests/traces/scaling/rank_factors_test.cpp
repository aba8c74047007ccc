// SPDX-License-Identifier: MIT
#include "traces/scaling/rank_factors.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <functional>
#include <vector>

using namespace finegrain;
using namespace finegrain::scaling;

namespace {

/// Ranks with work of their own, recorded on several numbers of ranks.
class RanksOfWork {
 public:
  RanksOfWork(const std::vector<int>& recorded, const std::function<double(int rank, int ranks)>& work) {
    for (const int ranks : recorded) {
      const ProcessGrid& grid = grids_.emplace_back(ranks, GridShape{1});
      for (int rank = 0; rank < ranks; ++rank)
        works_.push_back({&grid, rank, work(rank, ranks)});
    }
  }

  double factor(int rank, int ranks) const {
    return RankFactors(works_).factor(ProcessGrid(ranks, GridShape{1}), rank);
  }

 private:
  std::deque<ProcessGrid> grids_;
  std::vector<RankWork> works_;
};

}  // namespace

TEST_CASE("a first rank with more work keeps it, and the rank beside it gets none of it") {
  const RanksOfWork recorded({4, 8, 16}, [](int rank, int ranks) { return (rank == 0 ? 10. : 1.) / ranks; });
  const double mean = (10. + 15) / 16;
  CHECK(recorded.factor(0, 64) == Approx(10 / mean));
  CHECK(recorded.factor(1, 64) == Approx(1 / mean));
  CHECK(recorded.factor(63, 64) == Approx(1 / mean));
}

TEST_CASE("work that grows along the ranks does so on more of them") {
  const RanksOfWork recorded({16, 32}, [](int rank, int ranks) { return 1 + (rank + 0.5) / ranks; });
  for (const int rank : {5, 20, 40, 58})
    CHECK(recorded.factor(rank, 64) == Approx((1 + (rank + 0.5) / 64) / 1.5).epsilon(0.02));
}

TEST_CASE("what two recordings do not agree on is chance: all ranks work as much") {
  const RanksOfWork recorded({4, 8}, [](int rank, int ranks) {
    return (ranks == 4 && rank == 1) || (ranks == 8 && rank == 5) ? 2. : 1.;
  });
  for (int rank = 0; rank < 16; ++rank)
    CHECK(recorded.factor(rank, 16) == Approx(1));
}

TEST_CASE("a rank without work, and ranks of which none works, have factors") {
  const RanksOfWork one_idle({4, 8}, [](int rank, int) { return rank == 0 ? 0. : 1.; });
  CHECK(one_idle.factor(0, 16) == Approx(0).margin(1e-12));
  CHECK(one_idle.factor(5, 16) == Approx(8. / 7));
  const RanksOfWork idle({4, 8}, [](int, int) { return 0.; });
  CHECK(idle.factor(3, 16) == 1);
}
