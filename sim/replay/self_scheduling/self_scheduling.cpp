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

bool only_completes(const Body& body) {
  return std::ranges::all_of(body.operations, [](const Operation& operation) {
    return std::holds_alternative<Complete>(operation);
  });
}

bool only_works(const Body& body) {
  return std::ranges::all_of(
      body.operations, [](const Operation& operation) { return std::holds_alternative<Work>(operation); });
}

std::shared_ptr<const Body> one_operation(RegionName name, const Operation& operation) {
  Body body;
  body.add_region(name, operation);
  return std::make_shared<const Body>(std::move(body));
}

/// Makes a receive from any source that is posted, and then waited for with nothing but work between, one
/// that blocks where it was waited for.
void block_where_waited(std::vector<Piece>& pieces) {
  OpenRequests requests;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const bool were_open = !requests.empty();
    const std::vector<Operation>& operations = pieces[p].body->operations;
    const auto* post = operations.size() == 1 ? std::get_if<Post>(operations.data()) : nullptr;
    if (post != nullptr && post->any_source && !post->blocking && !were_open) {
      std::size_t wait = p + 1;
      while (wait < pieces.size() && only_works(*pieces[wait].body))
        ++wait;
      if (wait < pieces.size() && only_completes(*pieces[wait].body)) {
        Post blocking = *post;
        blocking.blocking = true;
        Body nothing;
        nothing.begin_region(pieces[p].body->regions.front().name);
        pieces[p].body = std::make_shared<const Body>(std::move(nothing));
        pieces[wait].body = one_operation(pieces[wait].body->regions.front().name, blocking);
        p = wait;
        continue;
      }
    }
    for (const Operation& operation : operations)
      requests.add(operation);
  }
}

/// Where the answer begins: after what the master receives together with the result.
std::size_t answer_of(std::size_t result, const SelfScheduling& found) {
  std::size_t answer = found.results[result].first + 1;
  bool are_open = false;
  for (std::size_t p = answer; p < found.results[result].after; ++p) {
    const auto& [piece, bound] = found.master_pieces[p];
    const auto receives_more = [&](const Operation& operation) {
      const auto* post = std::get_if<Post>(&operation);
      return post != nullptr && post->kind == TransferKind::receive;
    };
    const bool is_of_result = !bound.empty() && bound.size() == piece.body->operations.size() &&
                              std::ranges::all_of(bound, [&](const auto& b) { return b.result == result; }) &&
                              std::ranges::all_of(piece.body->operations, receives_more);
    if (is_of_result) {
      are_open = are_open || makes_request(piece.body->operations.front());
      answer = p + 1;
    } else if (!piece.body->operations.empty() && only_completes(*piece.body) && are_open) {
      answer = p + 1;
    } else if (!only_works(*piece.body)) {
      break;
    }
  }
  return answer;
}

/// The master's part. @returns none if it does not take results as SelfScheduling says
std::optional<Receives> read_master(std::vector<Piece> pieces, SelfScheduling& found) {
  block_where_waited(pieces);
  Receives receives;
  std::map<std::int32_t, std::size_t> newest;  // result of each worker
  std::map<std::int32_t, std::size_t> counts;  // of results
  bool takes_any_tag = false;
  for (Piece& piece : pieces) {
    const std::size_t place = found.master_pieces.size();
    SelfScheduling::MasterPiece& own =
        found.master_pieces.emplace_back(SelfScheduling::MasterPiece{std::move(piece), {}});
    const std::vector<Operation>& operations = own.piece.body->operations;
    for (std::size_t o = 0; o < operations.size(); ++o) {
      const auto* post = std::get_if<Post>(&operations[o]);
      if (post == nullptr) continue;
      std::optional<std::size_t> result;
      if (post->any_source) {
        if (!post->blocking || operations.size() != 1) return std::nullopt;
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
        if (!found.results.empty()) found.results.back().after = place;
        found.results.push_back({post->peer, counts[post->peer]++, place});
      }
      if (const auto last = newest.find(post->peer); last != newest.end())
        own.bound.push_back({o, last->second});
      if (post->kind == TransferKind::receive)
        receives[{post->peer, post->communicator, post->tag}].push_back(result);
    }
  }
  found.results.back().after = found.master_pieces.size();
  for (std::size_t r = 0; r < found.results.size(); ++r)
    found.results[r].answer = answer_of(r, found);
  return receives;
}

/// Whether any worker can do it: it meets only the master, or all ranks.
bool may_move(const Operation& operation, std::int32_t master) {
  if (const auto* post = std::get_if<Post>(&operation)) return post->peer == master;
  if (const auto* collective = std::get_if<Collective>(&operation)) return collective->communicator == 0;
  return !std::holds_alternative<Lock>(operation);
}

/// Makes a send to the master and the receive of its answer in one call (MPI_Sendrecv) two that block. If the
/// answer comes after the message, the order is the same.
void split_exchange(std::vector<Piece>& pieces, std::size_t place, std::int32_t master) {
  const Body& body = *pieces[place].body;
  std::vector<Post> posts;
  for_each_post(body.operations, [&](const Post& post) { posts.push_back(post); });
  if (posts.size() != 2 || posts[0].kind == posts[1].kind) return;
  if (posts[0].kind != TransferKind::send) std::swap(posts[0], posts[1]);
  const auto is_exchanged = [&](const Post& post) {
    return is_two_sided(post.kind) && post.peer == master && !post.any_source;
  };
  const bool has_more = std::ranges::any_of(body.operations, [](const Operation& operation) {
    return !std::holds_alternative<Post>(operation) && !std::holds_alternative<Complete>(operation);
  });
  if (has_more || !std::ranges::all_of(posts, is_exchanged)) return;
  const RegionName name = body.regions.front().name;
  for (Post& post : posts)
    post.blocking = true;
  const Piece answer{one_operation(name, posts[1]), 0};
  pieces[place].body = one_operation(name, posts[0]);
  pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(place) + 1, answer);
}

/// A worker's part. @returns none if what it does after a result is not what SelfScheduling says
std::optional<SelfScheduling::Worker> read_worker(std::int32_t rank, std::vector<Piece> pieces,
                                                  const SelfScheduling& found, Receives& receives) {
  SelfScheduling::Worker worker;
  for (std::size_t r = 0; r < found.results.size(); ++r)
    if (found.results[r].worker == rank) worker.results.push_back(r);
  OpenRequests requests;
  bool is_answered = true;
  std::size_t sent_by = 0;  // the piece that sent the last result
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const bool were_open = !requests.empty();
    if (!were_open) split_exchange(pieces, p, found.master);
    for (const Operation& operation : pieces[p].body->operations) {
      const auto* post = std::get_if<Post>(&operation);
      const bool is_of_master = post != nullptr && post->peer == found.master;
      if (is_of_master && post->kind == TransferKind::send) {
        auto& expected = receives[{rank, post->communicator, post->tag}];
        if (!expected.empty()) {
          if (expected.front()) {
            if (!is_answered || post->repeat != 1) return std::nullopt;
            is_answered = false;
            sent_by = p;
          }
          expected.pop_front();
        }
      } else if (is_of_master && post->kind == TransferKind::receive && !is_answered) {
        if (sent_by == p || were_open) return std::nullopt;
        worker.after.push_back(p);
        is_answered = true;
      }
      requests.add(operation);
    }
  }
  // The last result has no answer: the worker goes on without one.
  if (!is_answered) worker.after.push_back(sent_by + 1);
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
