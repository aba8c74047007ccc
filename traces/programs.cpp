// SPDX-License-Identifier: MIT
#include "traces/programs.hpp"

#include <utility>

#include "traces/share_read.hpp"
namespace finegrain {
namespace {

class OneLoop : public ProgramCursor, public KnowsShareRead {
 public:
  explicit OneLoop(const Loop& loop) : loop_(loop) {}
  const Loop* next() override { return std::exchange(read_, true) || loop_.count < 1 ? nullptr : &loop_; }
  double share_read() const override { return read_ ? 1 : 0; }

 private:
  Loop loop_;
  bool read_ = false;
};

}  // namespace

std::unique_ptr<ProgramCursor> SchedulePrograms::rank(int rank) const {
  return std::make_unique<OneLoop>(
      Loop{std::shared_ptr<const Body>(std::shared_ptr<const Body>(),
                                       &schedule_.ranks[static_cast<std::size_t>(rank)]),
           schedule_.run.iterations});
}

}  // namespace finegrain
