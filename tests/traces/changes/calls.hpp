// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "traces/programs.hpp"

namespace finegrain::changes {

/// A call of a program that was not recorded, and the work before it.
struct Call {
  double work_s;
  std::string place;
  std::vector<Operation> operations = {};
};

/// Programs of such calls.
class Calls : public Programs {
 public:
  explicit Calls(std::vector<std::vector<Call>> ranks) : ranks_(std::move(ranks)) {}
  int ranks() const override { return static_cast<int>(ranks_.size()); }
  std::unique_ptr<ProgramCursor> rank(int rank) const override {
    return std::make_unique<Cursor>(ranks_[static_cast<std::size_t>(rank)]);
  }

 private:
  class Cursor : public ProgramCursor {
   public:
    explicit Cursor(const std::vector<Call>& calls) : calls_(calls) {}
    const Loop* next() override {
      if (next_ == calls_.size()) return nullptr;
      const Call& call = calls_[next_++];
      Body body;
      body.add_region(regions::compute, Work{.is_timed = true});
      body.begin_region(RegionName(call.place));
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
  std::vector<std::vector<Call>> ranks_;
};

inline const Collective allreduce{.kind = CollectiveKind::allreduce, .size_bytes = 8};
inline const Collective barrier{.kind = CollectiveKind::barrier};
inline Post send_to(int peer, std::int64_t size_bytes) {
  return {.kind = TransferKind::send, .blocking = true, .peer = peer, .size_bytes = size_bytes};
}
inline Post receive_from(int peer, std::int64_t size_bytes, bool any_source = false) {
  return {.kind = TransferKind::receive,
          .blocking = true,
          .any_source = any_source,
          .peer = peer,
          .size_bytes = size_bytes};
}

}  // namespace finegrain::changes
