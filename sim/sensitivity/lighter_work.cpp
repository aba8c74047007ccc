// SPDX-License-Identifier: MIT
#include "sim/sensitivity/lighter_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "traces/share_read.hpp"
#include "traces/work_factors.hpp"

namespace finegrain::sensitivity {
namespace {

bool is_meant(const Region& region, const LighterWork& work) {
  return work.region.empty() || region.name.text() == work.region;
}

bool is_of(const LighterWork& work, int rank) {
  return work.ranks.empty() || std::ranges::binary_search(work.ranks, rank);
}

void divide(std::int64_t& bytes, double factor) {
  bytes = std::llround(static_cast<double>(bytes) / factor);
}

Body lighter(Body body, const LighterWork& work) {
  for (const Region& region : body.regions) {
    if (!is_meant(region, work)) continue;
    for (int i = 0; i < region.operation_count; ++i) {
      auto* const done =
          std::get_if<Work>(&body.operations[static_cast<std::size_t>(region.first_operation + i)]);
      if (done == nullptr) continue;
      divide(done->memory_bytes, work.factor);
      divide(done->scattered_stores, work.factor);
      divide(done->copied_bytes, work.factor);
    }
  }
  return body;
}

/// A part of a recorded program's work: that between two calls, by where these are in the program.
std::string part_of(const Region& region, const PlaceOfWork& place) {
  return fmt::format("{} {}", region.name.text(), place.name());
}

bool has_parts(const Region& region) {
  return region.name == regions::compute;
}

/// Reads a rank's program, and reduces the work of each body once.
class LighterCursor : public ProgramCursor, public KnowsShareRead {
 public:
  LighterCursor(std::unique_ptr<ProgramCursor> cursor, const LighterWork& work)
      : cursor_(std::move(cursor)), work_(work) {}

  const Loop* next() override {
    const Loop* const loop = cursor_->next();
    if (loop == nullptr) return nullptr;
    // The original body is kept, so that no other body gets its address, which is the key.
    auto& [original, light] = bodies_[loop->body.get()];
    if (!light) {
      original = loop->body;
      light = std::make_shared<const Body>(lighter(*original, work_));
    }
    seconds_.assign(loop->regions_s.begin(), loop->regions_s.end());
    for (std::size_t r = 0; r < seconds_.size(); ++r) {
      const Region& region = light->regions[r];
      if (is_meant(region, work_) || (has_parts(region) && part_of(region, place_) == work_.region))
        seconds_[r] /= work_.factor;
    }
    place_.pass(*light);
    loop_ = {light, loop->count, seconds_};
    return &loop_;
  }
  bool ends_early() const override { return cursor_->ends_early(); }
  double share_read() const override { return share_read_by(*cursor_); }

 private:
  std::unique_ptr<ProgramCursor> cursor_;
  const LighterWork& work_;
  std::map<const Body*, std::pair<std::shared_ptr<const Body>, std::shared_ptr<const Body>>> bodies_;
  PlaceOfWork place_;
  std::vector<double> seconds_;
  Loop loop_;
};

double bytes_of(const Body& body, const Region& region) {
  return static_cast<double>(memory_bytes(body.operations_of(region)));
}

}  // namespace

Schedule lighter(const Schedule& schedule, const LighterWork& work) {
  Schedule result = schedule;
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank)
    if (is_of(work, static_cast<int>(rank)))
      result.ranks[rank] = lighter(std::move(result.ranks[rank]), work);
  return result;
}

std::unique_ptr<ProgramCursor> LighterPrograms::rank(int rank) const {
  auto cursor = programs().rank(rank);
  if (!is_of(work_, rank)) return cursor;
  return std::make_unique<LighterCursor>(std::move(cursor), work_);
}

WorkTotals work_of(const Programs& programs) {
  WorkTotals totals;
  totals.ranks.resize(static_cast<std::size_t>(programs.ranks()), 0);
  for (int rank = 0; rank < programs.ranks(); ++rank) {
    const auto cursor = programs.rank(rank);
    PlaceOfWork place;
    while (const Loop* const loop = cursor->next()) {
      for (std::size_t region = 0; region < loop->body->regions.size(); ++region) {
        const Region& named = loop->body->regions[region];
        double done = bytes_of(*loop->body, named);
        const bool is_timed = !loop->regions_s.empty() && loop->regions_s[region] > 0;
        if (is_timed) done = loop->regions_s[region];
        if (done == 0) continue;
        done *= static_cast<double>(loop->count);
        totals.regions[std::string(named.name.text())] += done;
        if (is_timed && has_parts(named)) totals.parts[part_of(named, place)] += done;
        totals.ranks[static_cast<std::size_t>(rank)] += done;
      }
      place.pass(*loop->body);
    }
  }
  return totals;
}

}  // namespace finegrain::sensitivity
