// SPDX-License-Identifier: MIT
#include "traces/work_factors.hpp"
#include "traces/share_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain {
namespace {

/// Places with less of the work are not named.
constexpr double least_share = 0.01;

bool is_mark(RegionName function) {
  return function.text().starts_with("Pcontrol ");
}

/// What all ranks together do.
struct Sum {
  std::int64_t calls = 0;  ///< that lead to the place, and begin something
  double bytes = 0;        ///< their bytes
  double work_s = 0;       ///< in the place

  void add(const Loop& calls_of_loop) {
    const Body& call = *calls_of_loop.body;
    const auto times = static_cast<double>(calls_of_loop.count);
    bool begins = false;
    for (const Operation& operation : call.operations) {
      if (const auto* post = std::get_if<Post>(&operation)) {
        bytes += times * static_cast<double>(post->repeat) * static_cast<double>(post->size_bytes);
      } else if (const auto* collective = std::get_if<Collective>(&operation)) {
        bytes += times * static_cast<double>(collective->size_bytes);
      }
      // How many calls it takes to wait for several requests differs from run to run.
      begins =
          begins || !(std::holds_alternative<Complete>(operation) || std::holds_alternative<Work>(operation));
    }
    for (const std::int64_t size : call.sizes)
      bytes += times * static_cast<double>(size);
    if (begins || is_mark(call.regions.back().name)) calls += calls_of_loop.count;
  }
};

std::map<PlaceOfWork, Sum> sums_of(const Programs& programs) {
  std::map<PlaceOfWork, Sum> sums;
  for (int rank = 0; rank < programs.ranks(); ++rank) {
    const auto cursor = programs.rank(rank);
    PlaceOfWork place;
    while (const Loop* loop = cursor->next()) {
      const Body& call = *loop->body;
      for (std::size_t r = 0; r < loop->regions_s.size(); ++r)
        if (call.regions[r].name == regions::compute)
          sums[place].work_s += static_cast<double>(loop->count) * loop->regions_s[r];
      if (place.pass(call)) sums[place].add(*loop);
    }
  }
  return sums;
}

/// A program's work, scaled as it is read.
class RescaledCursor : public ProgramCursor, public KnowsShareRead {
 public:
  RescaledCursor(std::unique_ptr<ProgramCursor> program, const WorkFactors& factors)
      : program_(std::move(program)), factors_(factors) {}

  const Loop* next() override {
    const Loop* loop = program_->next();
    if (loop == nullptr) return nullptr;
    loop_ = *loop;
    regions_s_.assign(loop->regions_s.begin(), loop->regions_s.end());
    for (std::size_t r = 0; r < regions_s_.size(); ++r)
      if (loop->body->regions[r].name == regions::compute) regions_s_[r] *= factors_.of(place_);
    loop_.regions_s = regions_s_;
    place_.pass(*loop->body);
    return &loop_;
  }
  bool ends_early() const override { return program_->ends_early(); }
  double share_read() const override { return share_read_by(*program_); }

 private:
  std::unique_ptr<ProgramCursor> program_;
  const WorkFactors& factors_;
  PlaceOfWork place_;
  std::vector<double> regions_s_;
  Loop loop_{};
};

}  // namespace

bool PlaceOfWork::pass(const Body& call) {
  if (call.regions.empty()) return false;
  const Region& function = call.regions.back();
  if (is_mark(function.name)) {
    mark_ = function.name;
    function_.reset();
    return true;
  }
  if (call.operations_of(function).empty()) return false;
  function_ = function.name;
  return true;
}

std::string PlaceOfWork::name() const {
  if (function_ && mark_) return fmt::format("after {} in {}", function_->text(), mark_->text());
  if (function_ || mark_) return fmt::format("after {}", (function_ ? function_ : mark_)->text());
  return "before the first call";
}

WorkFactors::WorkFactors(const Programs& here, const std::string& here_name, const Programs& there,
                         const std::string& there_name) {
  const auto refuse = [&](const std::string& problem) {
    throw InputError(there_name, fmt::format("{} (it is not the same run as {})", problem, here_name),
                     "Record the same program with the same arguments on both machines");
  };
  if (here.ranks() != there.ranks())
    refuse(fmt::format("{} instead of {}", format_count(there.ranks(), "rank"), here.ranks()));
  const std::map<PlaceOfWork, Sum> sums = sums_of(here);
  const std::map<PlaceOfWork, Sum> sums_there = sums_of(there);
  Sum all;
  Sum all_there;
  for (const auto& [place, sum] : sums) {
    const auto found = sums_there.find(place);
    if (found == sums_there.end()) refuse(fmt::format("no work {}", place.name()));
    const Sum& other = found->second;
    if (sum.calls != other.calls || sum.bytes != other.bytes)
      refuse(fmt::format("the work {} comes after {} of {:.0f} bytes in all, instead of {} of {:.0f}",
                         place.name(), format_count(other.calls, "call"), other.bytes, sum.calls, sum.bytes));
    factors_[place] = {sum.work_s > 0 ? other.work_s / sum.work_s : 1, sum.work_s};
    all.work_s += sum.work_s;
    all_there.work_s += other.work_s;
  }
  for (const auto& [place, sum] : sums_there)
    if (sum.calls > 0 && !sums.contains(place)) refuse(fmt::format("it also works {}", place.name()));
  if (all.work_s <= 0) return;
  mean_ = all_there.work_s / all.work_s;
  for (auto& [place, factor] : factors_)
    factor.share /= all.work_s;
}

WorkFactors work_factors(const Programs& here, const std::string& here_name,
                         const std::filesystem::path& trace_there) {
  const Trace there(trace_there);
  if (!there.names_functions())
    throw InputError(trace_there.string(), "is no recorded program, but a run of finegrain's own kernels",
                     "Record it with finegrain record -- and the launcher's command");
  return {here, here_name, RecordedPrograms(there), trace_there.string()};
}

double WorkFactors::of(const PlaceOfWork& place) const {
  const auto found = factors_.find(place);
  return found == factors_.end() ? 1 : found->second.value;
}

std::string WorkFactors::range() const {
  std::vector<std::pair<double, std::string>> named;
  for (const auto& [place, factor] : factors_)
    if (factor.share >= least_share) named.emplace_back(factor.value, place.name());
  if (named.empty()) return "no work";
  const auto [least, most] = std::ranges::minmax(named);
  if (named.size() == 1) return fmt::format("x {:.3g} {}", least.first, least.second);
  return fmt::format("from x {:.3g} {} to x {:.3g} {}", least.first, least.second, most.first, most.second);
}

std::unique_ptr<ProgramCursor> RescaledPrograms::rank(int rank) const {
  return std::make_unique<RescaledCursor>(programs().rank(rank), factors_);
}

}  // namespace finegrain
