// SPDX-License-Identifier: MIT
#include "traces/schedule_in_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

struct OneTransfer {
  TransferKind kind;
  std::int32_t peer;
  std::int64_t size_bytes;  ///< 0 of receives

  friend bool operator==(const OneTransfer&, const OneTransfer&) = default;
};

/// An access by a pointer to shared memory is a put or a get, where the memory is another node's.
TransferKind as_recorded(TransferKind kind) {
  if (kind == TransferKind::load) return TransferKind::get;
  return kind == TransferKind::store ? TransferKind::put : kind;
}

/// Calls visit(transfer) for each one of a rank with another.
template <class Visit>
void for_each_transfer(const Body& body, int rank, Visit&& visit) {
  for_each_post(body.operations, [&](const Post& post) {
    if (post.peer == rank) return;
    const bool is_receive = post.kind == TransferKind::receive;
    for (std::int64_t n = 0; n < post.repeat; ++n)
      visit(OneTransfer{as_recorded(post.kind), post.peer, is_receive ? 0 : post.size_bytes});
  });
}

std::string describe(const OneTransfer& transfer) {
  const std::string peer = fmt::format("{} {}", to_string(transfer.kind), transfer.peer);
  return transfer.kind == TransferKind::receive ? peer : fmt::format("{}, {} B", peer, transfer.size_bytes);
}

/// Reads one rank's transfers, and finds iterations among them (Knuth, Morris, Pratt 1977).
class Search {
 public:
  /// @pre it is not empty
  explicit Search(std::vector<OneTransfer> iteration)
      : iteration_(std::move(iteration)), shorter_(iteration_.size(), 0), rows_(iteration_.size(), 0) {
    for (std::size_t n = 1, same = 0; n < iteration_.size(); ++n) {
      while (same > 0 && iteration_[n] != iteration_[same])
        same = shorter_[same - 1];
      if (iteration_[n] == iteration_[same]) ++same;
      shorter_[n] = same;
    }
  }

  void add(const OneTransfer& transfer) {
    if (same_ == iteration_.size()) same_ = shorter_[same_ - 1];
    if (iteration_[same_] != transfer) note(describe(transfer));
    while (same_ > 0 && iteration_[same_] != transfer)
      same_ = shorter_[same_ - 1];
    if (iteration_[same_] == transfer) ++same_;
    // Iterations in a row that end with this transfer.
    std::int64_t& row = rows_[static_cast<std::size_t>(transfers_++) % rows_.size()];
    row = same_ == iteration_.size() ? row + 1 : 0;
    iterations_ = std::max(iterations_, row);
  }
  void end() { note("nothing"); }

  std::int64_t iterations() const { return iterations_; }  ///< most in a row
  std::int64_t size() const { return std::ssize(iteration_); }
  /// Where the longest part of an iteration ends, and what comes instead of the rest.
  Difference end_of_part(int rank) const {
    return {.rank = rank,
            .iteration = {},
            .region = {},
            .position = static_cast<int>(longest_),
            .aspect = "transfer",
            .first = instead_,
            .second = describe(iteration_[std::min(longest_, iteration_.size() - 1)])};
  }

 private:
  void note(std::string instead) {
    if (!instead_.empty() && same_ <= longest_) return;
    longest_ = same_;
    instead_ = std::move(instead);
  }

  std::vector<OneTransfer> iteration_;
  std::vector<std::size_t> shorter_;  ///< the longest beginning of it that also ends there
  std::vector<std::int64_t> rows_;    ///< iterations in a row that end with each of the latest transfers
  std::size_t same_ = 0;              ///< transfers of an iteration, up to the latest one
  std::int64_t transfers_ = 0;
  std::int64_t iterations_ = 0;
  std::size_t longest_ = 0;
  std::string instead_;
};

}  // namespace

ScheduleInProgram find_schedule(const Programs& program, const Schedule& schedule, const OnRank& on_rank) {
  ScheduleInProgram found;
  std::int64_t all_transfers = 0;
  std::vector<std::pair<int, Search>> searches;
  for (int rank = 0; rank < program.ranks(); ++rank) {
    std::vector<OneTransfer> iteration;
    for_each_transfer(schedule.ranks.at(static_cast<std::size_t>(rank)), rank,
                      [&](const OneTransfer& transfer) { iteration.push_back(transfer); });
    Search* search =
        iteration.empty() ? nullptr : &searches.emplace_back(rank, Search(std::move(iteration))).second;
    const auto cursor = program.rank(rank);
    while (const Loop* loop = cursor->next()) {
      for (std::int64_t n = 0; n < loop->count; ++n) {
        for_each_transfer(*loop->body, rank, [&](const OneTransfer& transfer) {
          ++all_transfers;
          if (search != nullptr) search->add(transfer);
        });
      }
      for (const Operation& operation : loop->body->operations)
        if (std::holds_alternative<Collective>(operation)) found.collectives += loop->count;
    }
    if (search != nullptr) search->end();
    if (on_rank) on_rank(rank + 1, program.ranks());
  }
  if (searches.empty())
    throw InputError("schedule", "its ranks transfer nothing to one another (there is nothing to compare)",
                     "Compare a schedule of several ranks");
  for (const auto& [rank, search] : searches)
    found.iterations = std::max(found.iterations, search.iterations());
  for (const auto& [rank, search] : searches) {
    found.transfers += search.iterations() * search.size();
    if (search.iterations() == found.iterations && found.iterations > 0) continue;
    if (++found.diff.difference_count > static_cast<std::int64_t>(differences_listed)) continue;
    if (search.iterations() == 0) {
      found.diff.differences.push_back(search.end_of_part(rank));
    } else {
      found.diff.differences.push_back({.rank = rank,
                                        .iteration = {},
                                        .region = {},
                                        .position = {},
                                        .aspect = "iterations",
                                        .first = fmt::format("{}", search.iterations()),
                                        .second = fmt::format("{}", found.iterations)});
    }
  }
  found.other_transfers = all_transfers - found.transfers;
  found.diff.ranks = static_cast<int>(searches.size());
  return found;
}

}  // namespace finegrain
