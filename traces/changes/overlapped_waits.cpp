// SPDX-License-Identifier: MIT
#include "traces/changes/overlapped_waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "traces/changes/joined_bodies.hpp"
#include "traces/changes/structure.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/share_read.hpp"

namespace finegrain::changes {
namespace {

bool has_meant_call(const ProgramChange& change, const Body& body) {
  return std::ranges::any_of(body.regions,
                             [&](const Region& region) { return is_about(change, region.name); });
}

/// @throws InputError if a call that is meant does anything but wait for requests that it names
void check_waits(const ProgramChange& change, const Body& body) {
  for (const Region& region : body.regions) {
    if (!is_about(change, region.name)) continue;
    for (const Operation& operation : body.operations_of(region))
      if (!std::holds_alternative<Complete>(operation))
        throw InputError(change_flag,
                         fmt::format("'{}' means {}, which does more than wait for requests ({})",
                                     change.text, region.name.text(), describe(operation)),
                         "Name the place of an MPI_Wait or MPI_Waitall");
    if (depends_on_arrival(body))
      throw InputError(change_flag,
                       fmt::format("'{}' means {}, which takes what has arrived: later, that may be another "
                                   "request",
                                   change.text, region.name.text()),
                       "Name the place of an MPI_Wait or MPI_Waitall");
  }
}

class OverlappedCursor : public ProgramCursor, public KnowsShareRead {
 public:
  OverlappedCursor(std::unique_ptr<ProgramCursor> program, const ProgramChange& change)
      : program_(std::move(program)), change_(change) {}

  const Loop* next() override {
    while (true) {
      if (left_ == 0 && !read()) return flush();
      if (waits_.empty() && !is_meant_) return pass_on();
      --left_;
      if (const Loop* loop = pass_once()) return loop;
    }
  }
  bool ends_early() const override { return program_->ends_early(); }
  bool is_decided() const override { return left_ > 0 || program_->is_decided(); }
  double share_read() const override { return share_read_by(*program_); }

  double work_s = 0;  ///< that waits were moved behind, so far

 private:
  bool read() {
    const Loop* loop = program_->next();
    if (loop == nullptr) return false;
    body_ = loop->body;
    body_regions_s_.assign(loop->regions_s.begin(), loop->regions_s.end());
    left_ = loop->count;
    is_meant_ = has_meant_call(change_, *body_);
    return true;
  }

  /// What is left of the loop, as it is.
  const Loop* pass_on() {
    loop_ = {body_, std::exchange(left_, 0), body_regions_s_};
    return &loop_;
  }

  /// One iteration, without the waits that are meant, and with those that were held back. @returns none if
  /// nothing is left of it
  const Loop* pass_once() {
    parts_.clear();
    regions_s_.clear();
    for (std::size_t r = 0; r < body_->regions.size(); ++r) {
      const RegionName name = body_->regions[r].name;
      const double seconds = r < body_regions_s_.size() ? body_regions_s_[r] : 0;
      if (is_about(change_, name)) {
        waits_.push_back({body_, r});
        continue;
      }
      if (name != regions::compute) make_waits();
      if (!waits_.empty()) work_s += seconds;
      parts_.push_back({body_, r});
      regions_s_.push_back(seconds);
    }
    return joined();
  }

  void make_waits() {
    parts_.insert(parts_.end(), waits_.begin(), waits_.end());
    regions_s_.resize(parts_.size(), 0);
    waits_.clear();
  }

  const Loop* flush() {
    parts_.clear();
    regions_s_.clear();
    make_waits();
    return joined();
  }

  const Loop* joined() {
    if (parts_.empty()) return nullptr;
    loop_ = {bodies_.join(parts_), 1, regions_s_};
    return &loop_;
  }

  std::unique_ptr<ProgramCursor> program_;
  const ProgramChange& change_;
  JoinedBodies bodies_;
  std::shared_ptr<const Body> body_;  ///< the body of the loop that is passed
  std::vector<double> body_regions_s_;
  std::int64_t left_ = 0;        ///< its iterations that are left
  bool is_meant_ = false;        ///< it has a wait that is moved
  std::vector<BodyPart> waits_;  ///< held back
  std::vector<BodyPart> parts_;
  std::vector<double> regions_s_;
  Loop loop_{};
};

}  // namespace

OverlappedWaits::OverlappedWaits(const Programs& programs, ProgramChange change)
    : DerivedPrograms(programs), change_(std::move(change)) {
  std::set<RegionName> names;
  for (int rank = 0; rank < programs.ranks(); ++rank) {
    const auto before = programs.rank(rank);
    while (const Loop* loop = before->next()) {
      for (const Region& region : loop->body->regions) {
        names.insert(region.name);
        if (is_about(change_, region.name)) waits_ += loop->count;
      }
      check_waits(change_, *loop->body);
    }
    OverlappedCursor after(programs.rank(rank), change_);
    while (after.next() != nullptr) {
    }
    work_s_ += after.work_s;
  }
  if (waits_ == 0) refuse_unknown_calls(change_, names);
}

std::unique_ptr<ProgramCursor> OverlappedWaits::rank(int rank) const {
  return std::make_unique<OverlappedCursor>(programs().rank(rank), change_);
}

std::string OverlappedWaits::note() const {
  return fmt::format("changed: {} ({}, after {:.4g} s of work of all ranks)", change_.text,
                     format_count(waits_, "wait"), work_s_);
}

}  // namespace finegrain::changes
