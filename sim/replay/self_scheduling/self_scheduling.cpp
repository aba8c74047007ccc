// SPDX-License-Identifier: MIT
#include "sim/replay/self_scheduling/self_scheduling.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>
#include <utility>

#include "sim/replay/folding/call_sequence.hpp"

namespace finegrain::replay {
namespace {

constexpr std::size_t most_pieces = 8'000'000;  // of the master and all workers: 200 MB

/// Of a call, a body for each of its regions.
std::vector<std::shared_ptr<const Body>> regions_apart(const Body& body) {
  std::vector<std::shared_ptr<const Body>> bodies;
  for (const Region& region : body.regions) {
    Body one;
    one.begin_region(region.name);
    for (const Operation& operation : body.operations_of(region))
      one.add(operation);
    one.sizes = body.sizes;
    bodies.push_back(std::make_shared<const Body>(std::move(one)));
  }
  return bodies;
}

std::vector<Piece> pieces_of(const CallSequence& sequence) {
  std::vector<std::vector<std::shared_ptr<const Body>>> apart;
  for (const auto& body : sequence.bodies)
    apart.push_back(regions_apart(*body));
  std::vector<Piece> pieces;
  auto seconds = sequence.seconds.begin();
  for (const std::uint32_t call : sequence.calls) {
    auto timed = sequence.timed_regions[call].begin();
    for (std::uint32_t region = 0; region < apart[call].size(); ++region) {
      const bool is_timed = timed != sequence.timed_regions[call].end() && *timed == region;
      pieces.push_back({apart[call][region], is_timed ? static_cast<double>(*seconds) : 0});
      if (!is_timed) continue;
      ++seconds;
      ++timed;
    }
  }
  return pieces;
}

bool takes_any(const Operation& operation) {
  const auto* post = std::get_if<Post>(&operation);
  return post != nullptr && post->any_source;
}

bool takes_any(const CallSequence& sequence) {
  return std::ranges::any_of(sequence.bodies, [](const std::shared_ptr<const Body>& body) {
    return std::ranges::any_of(body->operations,
                               [](const Operation& operation) { return takes_any(operation); });
  });
}

/// Which receives of the master, of those from one worker with one communicator and tag, take a result: for
/// each its place in SelfScheduling::results, for the others none. In the order in which they are posted.
using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  ///< worker, communicator, tag
using Receives = std::map<Key, std::deque<std::optional<std::size_t>>>;

/// The master's part. @returns none if it does not take results as SelfScheduling says
std::optional<Receives> read_master(std::vector<Piece> pieces, SelfScheduling& found) {
  Receives receives;
  std::map<std::int32_t, std::size_t> newest;  // result of each worker
  std::map<std::int32_t, std::size_t> counts;  // of results
  bool takes_any_tag = false;
  for (Piece& piece : pieces) {
    SelfScheduling::MasterPiece& own =
        found.master_pieces.emplace_back(SelfScheduling::MasterPiece{std::move(piece), {}});
    for (std::size_t o = 0; o < own.piece.body->operations.size(); ++o) {
      const auto* post = std::get_if<Post>(&own.piece.body->operations[o]);
      if (post == nullptr) continue;
      std::optional<std::size_t> result;
      if (post->any_source) {
        if (!post->blocking) return std::nullopt;
        if (found.results.empty()) {
          found.communicator = post->communicator;
          takes_any_tag = post->any_tag;
          if (!takes_any_tag) found.tag = post->tag;
        }
        if (post->communicator != found.communicator || post->any_tag != takes_any_tag ||
            (found.tag && post->tag != *found.tag))
          return std::nullopt;
        result = found.results.size();
        newest[post->peer] = *result;
        found.results.push_back({post->peer, post->tag, counts[post->peer]++});
        own.bound.push_back({o, *result, true});
      } else if (const auto last = newest.find(post->peer); last != newest.end()) {
        own.bound.push_back({o, last->second, false});
      }
      if (post->kind == TransferKind::receive)
        receives[{post->peer, post->communicator, post->tag}].push_back(result);
    }
  }
  return receives;
}

/// The requests of a rank that it has not waited for.
class OpenRequests {
 public:
  void add(const Operation& operation) {
    if (makes_request(operation)) open_.insert(++newest_);
    const auto* complete = std::get_if<Complete>(&operation);
    if (complete == nullptr) return;
    if (complete->is_all()) {
      open_.clear();
    } else {
      const std::int64_t first = newest_ + 1 - complete->oldest;
      open_.erase(open_.lower_bound(first), open_.lower_bound(first + complete->count));
    }
  }
  bool empty() const { return open_.empty(); }

 private:
  std::set<std::int64_t> open_;
  std::int64_t newest_ = 0;
};

/// Whether any worker can do it: it meets only the master, or all ranks.
bool may_move(const Operation& operation, std::int32_t master) {
  if (const auto* post = std::get_if<Post>(&operation)) return post->peer == master;
  if (const auto* collective = std::get_if<Collective>(&operation)) return collective->communicator == 0;
  return !std::holds_alternative<Lock>(operation);
}

/// A worker's part. @returns none if what it does after a result is not what SelfScheduling says
std::optional<SelfScheduling::Worker> read_worker(std::int32_t rank, std::vector<Piece> pieces,
                                                  const SelfScheduling& found, Receives& receives) {
  SelfScheduling::Worker worker;
  for (std::size_t r = 0; r < found.results.size(); ++r)
    if (found.results[r].worker == rank) worker.results.push_back(r);
  OpenRequests requests;
  std::optional<std::size_t> unanswered;  // piece that sent a result
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const bool were_open = !requests.empty();
    for (const Operation& operation : pieces[p].body->operations) {
      const auto* post = std::get_if<Post>(&operation);
      const bool is_of_master = post != nullptr && post->peer == found.master;
      if (is_of_master && post->kind == TransferKind::send) {
        auto& expected = receives[{rank, post->communicator, post->tag}];
        if (!expected.empty()) {
          if (expected.front()) {
            if (unanswered || post->repeat != 1) return std::nullopt;
            unanswered = p;
          }
          expected.pop_front();
        }
      } else if (is_of_master && post->kind == TransferKind::receive && unanswered) {
        if (*unanswered == p || were_open) return std::nullopt;
        worker.after.push_back(p);
        unanswered.reset();
      }
      requests.add(operation);
    }
  }
  // The last result has no answer: the worker goes on without one.
  if (unanswered) worker.after.push_back(*unanswered + 1);
  if (worker.after.size() != worker.results.size()) return std::nullopt;
  for (std::size_t p = worker.after.front(); p < worker.after.back(); ++p)
    if (!std::ranges::all_of(pieces[p].body->operations,
                             [&](const Operation& operation) { return may_move(operation, found.master); }))
      return std::nullopt;
  worker.pieces = std::move(pieces);
  return worker;
}

/// Whether each worker understands the last answer of each other one: it has the same tag, or there is none.
bool last_answers_are_alike(const SelfScheduling& found) {
  std::set<std::optional<Key>> answers;
  for (const auto& [rank, worker] : found.workers) {
    std::optional<Key> answer;
    if (worker.after.back() < worker.pieces.size())
      for (const Operation& operation : worker.pieces[worker.after.back()].body->operations)
        if (const auto* post = std::get_if<Post>(&operation);
            post != nullptr && post->peer == found.master && post->kind == TransferKind::receive && !answer)
          answer = Key{0, post->communicator, post->tag};
    answers.insert(answer);
  }
  return answers.size() == 1;
}

}  // namespace

std::optional<SelfScheduling> find_self_scheduling(const Programs& programs) {
  std::map<std::int32_t, CallSequence> sequences;
  std::optional<std::int32_t> master;
  std::size_t pieces = 0;
  for (std::int32_t rank = 0; rank < programs.ranks(); ++rank) {
    auto sequence = read_calls(*programs.rank(rank));
    if (!sequence) return std::nullopt;
    if (takes_any(*sequence)) {
      if (master) return std::nullopt;
      master = rank;
    }
    pieces += 2 * sequence->calls.size();
    if (pieces > most_pieces) return std::nullopt;
    sequences.emplace(rank, std::move(*sequence));
  }
  if (!master) return std::nullopt;
  SelfScheduling found;
  found.master = *master;
  auto receives = read_master(pieces_of(sequences.at(*master)), found);
  if (!receives) return std::nullopt;
  std::set<std::int32_t> workers;
  for (const SelfScheduling::Result& result : found.results)
    workers.insert(result.worker);
  if (workers.contains(*master)) return std::nullopt;
  for (const std::int32_t rank : workers) {
    auto worker = read_worker(rank, pieces_of(sequences.at(rank)), found, *receives);
    if (!worker) return std::nullopt;
    found.workers.emplace(rank, std::move(*worker));
  }
  if (!last_answers_are_alike(found)) return std::nullopt;
  return found;
}

}  // namespace finegrain::replay
