// SPDX-License-Identifier: MIT
#include "traces/work_factors.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

using Catch::Contains;

struct Call {
  double work_s;  ///< before it
  std::string function;
  std::vector<Operation> operations;
};

/// One rank's calls.
class CallCursor : public ProgramCursor {
 public:
  explicit CallCursor(const std::vector<Call>& calls) : calls_(calls) {}
  const Loop* next() override {
    if (next_ == calls_.size()) return nullptr;
    const Call& call = calls_[next_++];
    Body body;
    body.add_region(regions::compute, Work{.is_timed = true});
    body.begin_region(RegionName(call.function));
    for (const Operation& operation : call.operations)
      body.add(operation);
    regions_s_ = {call.work_s, 0};
    loop_ = {std::make_shared<const Body>(std::move(body)), 1, regions_s_};
    return &loop_;
  }

 private:
  const std::vector<Call>& calls_;
  std::size_t next_ = 0;
  std::vector<double> regions_s_;
  Loop loop_{};
};

class Calls : public Programs {
 public:
  explicit Calls(std::vector<std::vector<Call>> calls) : calls_(std::move(calls)) {}
  int ranks() const override { return static_cast<int>(calls_.size()); }
  std::unique_ptr<ProgramCursor> rank(int rank) const override {
    return std::make_unique<CallCursor>(calls_[static_cast<std::size_t>(rank)]);
  }
  std::vector<Call>& of(std::size_t rank) { return calls_[rank]; }

 private:
  std::vector<std::vector<Call>> calls_;
};

const Collective allreduce{.kind = CollectiveKind::allreduce, .size_bytes = 8};
const Post send{.kind = TransferKind::send, .blocking = true, .peer = 0, .size_bytes = 80};

/// Ranks that work `a` seconds before an allreduce, `b` after it, and in the second phase of the program `c`
/// after it.
std::vector<Call> phases(double a, double b, double c) {
  return {{a, "MPI_Allreduce", {allreduce}},
          {b, "Pcontrol 2", {}},
          {0, "MPI_Allreduce", {allreduce}},
          {c, "MPI_Send", {send}}};
}

WorkFactors factors(const Programs& here, const Programs& there) {
  return {here, "here", there, "there"};
}

/// Seconds before each call of a rank.
std::vector<double> work_of(const Programs& programs, int rank) {
  std::vector<double> work_s;
  const auto cursor = programs.rank(rank);
  while (const Loop* loop = cursor->next())
    work_s.push_back(loop->regions_s[0]);
  return work_s;
}

TEST_CASE("work is scaled place by place, after a function and since a mark, by the sums of all ranks") {
  const Calls here({phases(1, 2, 4), phases(3, 2, 4)});
  const Calls there({phases(1, 6, 1), phases(1, 2, 3)});
  const WorkFactors found = factors(here, there);
  CHECK(found.mean() == (2. + 8 + 4) / (4 + 4 + 8));
  const RescaledPrograms scaled(here, found);
  // Before the first call (1 + 1) / (1 + 3), after MPI_Allreduce (6 + 2) / (2 + 2), in the second phase (1 +
  // 3) / (4 + 4).
  CHECK(work_of(scaled, 0) == std::vector{1 * 0.5, 2 * 2., 0., 4 * 0.5});
  CHECK(work_of(scaled, 1) == std::vector{3 * 0.5, 2 * 2., 0., 4 * 0.5});
  CHECK_THAT(found.range(),
             Contains("from x 0.5 ") && Contains(" to x 2 after MPI_Allreduce") && !Contains("Send"));
}

TEST_CASE("a program against its own recording is as it was") {
  const Calls here({phases(1, 2, 4), phases(3, 2, 4)});
  const WorkFactors found = factors(here, here);
  CHECK(found.mean() == 1);
  CHECK(work_of(RescaledPrograms(here, found), 1) == work_of(here, 1));
}

TEST_CASE(
    "work between calls that found nothing belongs to what it waits for, however often they are tried") {
  const Call nothing{1, "MPI_Iprobe", {}};
  const Calls here({{{0, "MPI_Send", {send}}, nothing, nothing, {2, "MPI_Send", {send}}}});
  const Calls there({{{0, "MPI_Send", {send}}, {2, "MPI_Send", {send}}}});
  // (2) / (1 + 1 + 2), all after the first MPI_Send.
  CHECK(work_of(RescaledPrograms(here, factors(here, there)), 0) == std::vector{0., 0.5, 0.5, 1.});
}

TEST_CASE("places with less than a hundredth of the work are not named") {
  const Calls here({phases(99.5, 0, 0.5)});
  const Calls there({phases(199, 0, 50)});
  CHECK(factors(here, there).range() == "x 2 before the first call");
}

TEST_CASE("a recording of another run is refused, and what differs is named") {
  const Calls here({phases(1, 2, 4), phases(3, 2, 4)});
  CHECK_THROWS_WITH(factors(here, Calls({phases(1, 2, 4)})), Contains("there: 1 rank instead of 2"));
  Calls other = here;
  other.of(1).erase(other.of(1).begin() + 3);
  CHECK_THROWS_WITH(factors(here, other), Contains("the work after MPI_Send in Pcontrol 2 comes after 1 "
                                                   "call of 80 bytes in all, instead of 2 of 160"));
  other.of(0).erase(other.of(0).begin() + 3);
  CHECK_THROWS_WITH(factors(here, other), Contains("there: no work after MPI_Send in Pcontrol 2"));
  CHECK_THROWS_WITH(factors(other, here), Contains("it also works after MPI_Send in Pcontrol 2"));
  other = here;
  std::get<Post>(other.of(0)[3].operations[0]).size_bytes = 8;
  CHECK_THROWS_AS(factors(here, other), InputError);
}

}  // namespace
}  // namespace finegrain
