// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/collectives/decisions.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// A call, and the seconds of work before it.
struct TimedCall {
  Operation operation;
  double work_s = 0;                 ///< negative: it follows the call before directly, without any work
  std::vector<Operation> more = {};  ///< further operations of the same call

  Post& post() { return std::get<Post>(operation); }
};
using Calls = std::vector<TimedCall>;

/// Each rank's calls, one loop each, as a recording has them.
class ListedPrograms : public Programs {
 public:
  explicit ListedPrograms(std::vector<Calls> ranks) : ranks_(std::move(ranks)) {}
  int ranks() const override { return static_cast<int>(ranks_.size()); }
  std::unique_ptr<ProgramCursor> rank(int rank) const override {
    return std::make_unique<Cursor>(ranks_[static_cast<std::size_t>(rank)]);
  }

 private:
  class Cursor : public ProgramCursor {
   public:
    explicit Cursor(const Calls& calls) : calls_(calls) {}
    const Loop* next() override {
      if (next_ == calls_.size()) return nullptr;
      const TimedCall& call = calls_[next_++];
      Body body;
      times_s_.clear();
      if (call.work_s >= 0) {
        body.add_region(regions::compute, Work{.is_timed = true});
        times_s_.push_back(call.work_s);
      }
      body.add_region(RegionName("MPI"), call.operation);
      times_s_.push_back(0);
      for (const Operation& operation : call.more)
        body.add(operation);
      loop_ = {std::make_shared<const Body>(std::move(body)), 1, times_s_};
      return &loop_;
    }

   private:
    const Calls& calls_;
    std::size_t next_ = 0;
    std::vector<double> times_s_;
    Loop loop_{};
  };

  std::vector<Calls> ranks_;
};

/// With the collectives of Open MPI. @param algorithm  one collective's, instead: "bcast=pipeline"
inline ReplayResult replay_programs(const Programs& programs, const platform::Platform& platform,
                                    const ReplayOptions& options = {}, int ranks_per_node = 1,
                                    std::string_view algorithm = {},
                                    WorkTimes work = WorkTimes::as_recorded) {
  collectives::Overrides overrides;
  if (!algorithm.empty()) overrides.add(algorithm);
  const collectives::Decisions decisions("openmpi-4.1", std::move(overrides));
  Schedule run;
  run.run.ranks = programs.ranks();
  run.run.ranks_per_node = ranks_per_node;
  return replay_all({{.schedule = &run,
                      .platform = &platform,
                      .programs = &programs,
                      .decisions = &decisions,
                      .work = work}},
                    1, options)
      .front();
}

}  // namespace finegrain::replay
