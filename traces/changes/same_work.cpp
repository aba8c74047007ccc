// SPDX-License-Identifier: MIT
#include "traces/changes/same_work.hpp"

#include <utility>

#include "traces/share_read.hpp"

namespace finegrain::changes {
namespace {

/// A rank of such a program, as it is read.
class CursorWithWork : public ProgramCursor, public KnowsShareRead {
 public:
  CursorWithWork(std::unique_ptr<ProgramCursor> program, const KnownPlaces& places,
                 const std::map<Stretch, double>& stretches_s, const std::map<RegionName, double>& calls_s)
      : program_(std::move(program)),
        places_(places),
        walk_(places),
        stretches_s_(stretches_s),
        calls_s_(calls_s) {}

  const Loop* next() override {
    const Loop* loop = program_->next();
    if (loop == nullptr) return nullptr;
    const Body& call = *loop->body;
    const std::optional<Stretch> stretch = walk_.enter(call);
    if (loop->regions_s.empty()) return loop;
    loop_ = *loop;
    regions_s_.assign(loop->regions_s.begin(), loop->regions_s.end());
    for (std::size_t r = 0; r < regions_s_.size(); ++r) {
      const RegionName name = call.regions[r].name;
      if (name == regions::compute)
        regions_s_[r] = stretch ? seconds(stretches_s_, *stretch) : 0;
      else
        regions_s_[r] = stretch ? seconds(calls_s_, places_.name(name)) : regions_s_[r];
    }
    loop_.regions_s = regions_s_;
    return &loop_;
  }
  bool ends_early() const override { return program_->ends_early(); }
  bool is_decided() const override { return program_->is_decided(); }
  double share_read() const override { return share_read_by(*program_); }

 private:
  template <class Name>
  static double seconds(const std::map<Name, double>& table, const Name& name) {
    const auto known = table.find(name);
    return known == table.end() ? 0 : known->second;
  }

  std::unique_ptr<ProgramCursor> program_;
  const KnownPlaces& places_;
  StretchWalk walk_;
  const std::map<Stretch, double>& stretches_s_;
  const std::map<RegionName, double>& calls_s_;
  std::vector<double> regions_s_;
  Loop loop_{};
};

}  // namespace

WorkTable table_of(const WorkOfRuns& work) {
  WorkTable table{.stretches_s = {}, .calls_s = work.calls_s};
  for (const auto& stretches : work.ranks) {
    auto& seconds = table.stretches_s.emplace_back();
    for (const auto& [stretch, of_runs] : stretches)
      if (const double times = of_runs.mean_times(); times > 0) seconds[stretch] = of_runs.least_s / times;
  }
  return table;
}

WorkTable table_with_work_of_before(const WorkOfRuns& before, const WorkOfRuns& after,
                                    const WorkChanges& changes) {
  WorkTable table = table_of(after);
  for (std::size_t rank = 0; rank < table.stretches_s.size(); ++rank) {
    // Where nothing is known from before, only the computer's speed is taken out.
    for (auto& [stretch, seconds] : table.stretches_s[rank])
      seconds /= changes.slowdown;
    for (const auto& [place, seconds] : before.calls_s[rank])
      if (const auto known = table.calls_s[rank].find(place); known != table.calls_s[rank].end())
        known->second = seconds;
  }
  for (const WorkOfStretch& work : changes.stretches) {
    const auto rank = static_cast<std::size_t>(work.rank);
    auto& stretches_s = table.stretches_s[rank];
    if (work.stretch.before) {  // as often as before
      stretches_s[work.stretch] = work.after_s / before.ranks[rank].at(work.stretch).mean_times();
      continue;
    }
    double own_s = 0;
    for (const auto& [stretch, of_runs] : after.ranks[rank])
      if (stretch.after == work.stretch.after) own_s += of_runs.least_s / changes.slowdown;
    for (auto& [stretch, seconds] : stretches_s)
      if (stretch.after == work.stretch.after && own_s > 0) seconds *= work.after_s / own_s;
  }
  return table;
}

std::unique_ptr<ProgramCursor> ProgramsWithWork::rank(int rank) const {
  const auto r = static_cast<std::size_t>(rank);
  return std::make_unique<CursorWithWork>(programs().rank(rank), places_, table_.stretches_s[r],
                                          table_.calls_s[r]);
}

}  // namespace finegrain::changes
