// SPDX-License-Identifier: MIT
#include "traces/changes/changed_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/share_read.hpp"

namespace finegrain::changes {
namespace {

std::int64_t scaled(std::int64_t bytes, double factor) {
  return std::llround(static_cast<double>(bytes) * factor);
}

/// Sends, puts, gets: whose initiator says the bytes.
bool says_bytes(const Post& post) {
  return post.kind != TransferKind::receive;
}

/// Where bytes are among a collective's sizes: the first, and from one to the next. Those of neighbour
/// collectives stand after two counts, and each after the number of a rank.
std::pair<std::size_t, std::size_t> places_of_bytes(CollectiveKind kind) {
  return kind >= CollectiveKind::neighbor_allgather ? std::pair<std::size_t, std::size_t>(3, 2)
                                                    : std::pair<std::size_t, std::size_t>(0, 1);
}

/// Values that are combined stay whole.
std::int64_t scaled_size(const Collective& collective, double factor) {
  const std::int64_t element = is_reduction(collective.kind) ? std::max(1, collective.element_bytes) : 1;
  return scaled(collective.size_bytes / element, factor) * element;
}

double bytes_of(const Collective& collective, std::span<const std::int64_t> sizes) {
  double bytes = static_cast<double>(collective.size_bytes);
  if (collective.size_bytes > 0) return bytes;
  const auto [first, step] = places_of_bytes(collective.kind);
  for (std::size_t i = first; i < sizes.size(); i += step)
    bytes += static_cast<double>(sizes[i]);
  return bytes;
}

/// Changes a body by one change, and counts what that does to it each time that it is done.
class BodyChange {
 public:
  BodyChange(Body& body, const ProgramChange& change, ChangeCount& count)
      : body_(body), change_(change), count_(count) {}

  void change_operations() {
    for (const Region& region : body_.regions) {
      if (!is_about(change_, region.name)) continue;
      count_.calls = 1;
      if (change_.work_factor != 1) count_.changed = 1;
      for (Operation& operation : std::span(body_.operations)
                                      .subspan(static_cast<std::size_t>(region.first_operation),
                                               static_cast<std::size_t>(region.operation_count)))
        change_operation(operation);
    }
  }

 private:
  void change_operation(Operation& operation) {
    if (change_.size_factor != 1) change_size(operation);
    auto* collective = std::get_if<Collective>(&operation);
    if (collective == nullptr || change_.algorithm.empty()) return;
    collective->chosen = change_.number;
    count_.changed = 1;
    count_.collectives.emplace(collective->kind, collective->blocking);
  }

  void change_size(Operation& operation) {
    if (auto* post = std::get_if<Post>(&operation)) {
      if (!says_bytes(*post)) return;
      count_.bytes_before += static_cast<double>(post->size_bytes * post->repeat);
      post->size_bytes = scaled(post->size_bytes, change_.size_factor);
      count_.changed = 1;
      count_.bytes_after += static_cast<double>(post->size_bytes * post->repeat);
    } else if (auto* collective = std::get_if<Collective>(&operation)) {
      const std::span<std::int64_t> sizes = std::span(body_.sizes)
                                                .subspan(static_cast<std::size_t>(collective->first_size),
                                                         static_cast<std::size_t>(collective->size_count));
      count_.bytes_before += bytes_of(*collective, sizes);
      collective->size_bytes = scaled_size(*collective, change_.size_factor);
      const auto [first, step] = places_of_bytes(collective->kind);
      for (std::size_t i = first; i < sizes.size(); i += step)
        sizes[i] = scaled(sizes[i], change_.size_factor);
      count_.bytes_after += bytes_of(*collective, sizes);
      if (bytes_of(*collective, sizes) > 0) count_.changed = 1;
    }
  }

  Body& body_;
  const ProgramChange& change_;
  ChangeCount& count_;
};

/// A rank of a changed program, as it is read.
class ChangedCursor : public ProgramCursor, public KnowsShareRead {
 public:
  ChangedCursor(std::unique_ptr<ProgramCursor> program, const std::vector<ProgramChange>& changes)
      : program_(std::move(program)), changes_(changes), counts(changes.size()) {}

  const Loop* next() override {
    const Loop* loop = program_->next();
    if (loop == nullptr) return nullptr;
    auto known = bodies_.find(loop->body.get());
    if (known == bodies_.end()) known = bodies_.emplace(loop->body.get(), changed(loop->body)).first;
    const Changed& changed = known->second;
    if (!changed.any) return loop;
    loop_ = *loop;
    loop_.body = changed.body;
    regions_s_.assign(loop->regions_s.begin(), loop->regions_s.end());
    const auto times = static_cast<double>(loop->count);
    for (std::size_t c = 0; c < changes_.size(); ++c) {
      const ChangeCount& once = changed.counts[c];
      counts[c].calls += once.calls * loop->count;
      counts[c].changed += once.changed * loop->count;
      counts[c].bytes_before += once.bytes_before * times;
      counts[c].bytes_after += once.bytes_after * times;
      counts[c].collectives.insert(once.collectives.begin(), once.collectives.end());
      if (once.calls > 0) change_work(*loop->body, changes_[c], times, counts[c]);
    }
    loop_.regions_s = regions_s_;
    return &loop_;
  }
  bool ends_early() const override { return program_->ends_early(); }
  bool is_decided() const override { return program_->is_decided(); }
  double share_read() const override { return share_read_by(*program_); }

 private:
  struct Changed {
    std::shared_ptr<const Body> before;  ///< kept, so that no other body gets its address
    std::shared_ptr<const Body> body;
    std::vector<ChangeCount> counts;  ///< one for each change, in one pass
    bool any = false;
  };

  Changed changed(const std::shared_ptr<const Body>& before) const {
    Changed changed{.before = before, .body = before, .counts = std::vector<ChangeCount>(changes_.size())};
    Body body = *before;
    for (std::size_t c = 0; c < changes_.size(); ++c) {
      BodyChange(body, changes_[c], changed.counts[c]).change_operations();
      changed.any = changed.any || changed.counts[c].calls > 0;
    }
    if (changed.any) changed.body = std::make_shared<const Body>(std::move(body));
    return changed;
  }

  /// Changes the work before each call that is meant.
  void change_work(const Body& body, const ProgramChange& change, double times, ChangeCount& count) {
    for (std::size_t r = 0; r + 1 < body.regions.size() && r < regions_s_.size(); ++r) {
      if (body.regions[r].name != regions::compute || !is_about(change, body.regions[r + 1].name)) continue;
      count.work_before_s += times * regions_s_[r];
      regions_s_[r] *= change.work_factor;
      count.work_after_s += times * regions_s_[r];
    }
  }

  std::unique_ptr<ProgramCursor> program_;
  const std::vector<ProgramChange>& changes_;
  std::map<const Body*, Changed> bodies_;
  std::vector<double> regions_s_;
  Loop loop_{};

 public:
  std::vector<ChangeCount> counts;  ///< so far, of the changes
};

/// Which of a rank's collectives on each communicator have other sizes or algorithms than were recorded: a
/// digest of their places among all of them.
using CollectiveDigests = std::map<std::int32_t, std::uint64_t>;

/// Follows which collectives of a rank are changed.
class ChangedCollectives {
 public:
  void pass(const Body& body, const std::vector<ProgramChange>& changes, std::int64_t times) {
    for (const Region& region : body.regions) {
      double factor = 1;
      std::int32_t chosen = 0;
      for (const ProgramChange& change : changes) {
        if (!is_about(change, region.name)) continue;
        factor *= change.size_factor;
        if (!change.algorithm.empty()) chosen = change.number;
      }
      for (const Operation& operation : body.operations_of(region))
        if (const auto* collective = std::get_if<Collective>(&operation))
          for (std::int64_t time = 0; time < times; ++time)
            note(collective->communicator, factor, chosen);
    }
  }
  const CollectiveDigests& digests() const { return digests_; }

 private:
  void note(std::int32_t communicator, double factor, std::int32_t chosen) {
    const std::uint64_t number = ++numbers_[communicator];
    if (factor == 1 && chosen == 0) return;
    constexpr std::uint64_t prime = 1'099'511'628'211;  // FNV's
    std::uint64_t& digest = digests_[communicator];
    digest = (digest ^ number) * prime;
    digest = (digest ^ static_cast<std::uint64_t>(std::llround(factor * 1e6))) * prime;
    digest = (digest ^ static_cast<std::uint64_t>(chosen)) * prime;
  }

  std::map<std::int32_t, std::uint64_t> numbers_;
  CollectiveDigests digests_;
};

/// @throws InputError where ranks of a communicator change other collectives of it than the first one does
void check_collectives(const Programs& programs, const std::vector<CollectiveDigests>& ranks) {
  std::set<std::int32_t> communicators;
  for (const CollectiveDigests& digests : ranks)
    for (const auto& [communicator, digest] : digests)
      communicators.insert(communicator);
  for (const std::int32_t communicator : communicators) {
    std::vector<std::int32_t> members;
    if (communicator != 0) {
      const std::span<const std::int32_t> ranks_of_it = programs.communicator(communicator);
      members.assign(ranks_of_it.begin(), ranks_of_it.end());
    } else {
      for (std::int32_t rank = 0; rank < programs.ranks(); ++rank)
        members.push_back(rank);
    }
    const auto digest_of = [&](std::int32_t rank) -> std::uint64_t {
      const CollectiveDigests& digests = ranks[static_cast<std::size_t>(rank)];
      const auto digest = digests.find(communicator);
      return digest == digests.end() ? 0 : digest->second;
    };
    const auto other = std::ranges::find_if(
        members, [&](std::int32_t rank) { return digest_of(rank) != digest_of(members.front()); });
    if (other != members.end())
      throw InputError(
          change_flag,
          fmt::format("ranks {} and {} would bring different sizes or algorithms to one collective, which is "
                      "not a valid program (they call it at different places)",
                      members.front(), *other),
          "Change all places that call it");
  }
}

}  // namespace

ChangedPrograms::ChangedPrograms(const Programs& programs, std::vector<ProgramChange> changes)
    : DerivedPrograms(programs), changes_(std::move(changes)), counts_(changes_.size()) {
  std::vector<CollectiveDigests> digests;
  std::set<RegionName> names;
  const bool any_collective = std::ranges::any_of(changes_, [](const ProgramChange& change) {
    return change.size_factor != 1 || !change.algorithm.empty();
  });
  for (int rank = 0; rank < programs.ranks(); ++rank) {
    ChangedCursor cursor(programs.rank(rank), changes_);
    ChangedCollectives collectives;
    while (const Loop* loop = cursor.next()) {
      for (const Region& region : loop->body->regions)
        names.insert(region.name);
      if (any_collective) collectives.pass(*loop->body, changes_, loop->count);
    }
    digests.push_back(collectives.digests());
    for (std::size_t c = 0; c < counts_.size(); ++c) {
      counts_[c].calls += cursor.counts[c].calls;
      counts_[c].changed += cursor.counts[c].changed;
      counts_[c].bytes_before += cursor.counts[c].bytes_before;
      counts_[c].bytes_after += cursor.counts[c].bytes_after;
      counts_[c].work_before_s += cursor.counts[c].work_before_s;
      counts_[c].work_after_s += cursor.counts[c].work_after_s;
      counts_[c].collectives.insert(cursor.counts[c].collectives.begin(), cursor.counts[c].collectives.end());
    }
  }
  for (std::size_t c = 0; c < counts_.size(); ++c) {
    if (counts_[c].calls == 0) refuse_unknown_calls(changes_[c], names);
    if (changes_[c].size_factor != 1 && counts_[c].bytes_before == 0)
      throw InputError(
          change_flag,
          fmt::format("the calls of '{}' send nothing (a receive's message has the size that its "
                      "sender gives it)",
                      changes_[c].text),
          "Name the place that sends");
    if (!changes_[c].algorithm.empty() && counts_[c].collectives.empty())
      throw InputError(change_flag,
                       fmt::format("no call of '{}' is a collective operation", changes_[c].text),
                       "Name the place of one. See finegrain trace info --by place");
  }
  check_collectives(programs, digests);
}

std::unique_ptr<ProgramCursor> ChangedPrograms::rank(int rank) const {
  return std::make_unique<ChangedCursor>(programs().rank(rank), changes_);
}

std::vector<std::string> ChangedPrograms::notes() const {
  std::vector<std::string> notes;
  for (std::size_t c = 0; c < changes_.size(); ++c) {
    std::string what;
    if (changes_[c].size_factor != 1)
      what += fmt::format("; {:.0f} B, were {:.0f} B", counts_[c].bytes_after, counts_[c].bytes_before);
    if (changes_[c].work_factor != 1)
      what += fmt::format("; {:.4g} s of work of all ranks, were {:.4g} s", counts_[c].work_after_s,
                          counts_[c].work_before_s);
    notes.push_back(
        fmt::format("changed: {} ({}{})", changes_[c].text, format_count(counts_[c].changed, "call"), what));
  }
  return notes;
}

}  // namespace finegrain::changes
