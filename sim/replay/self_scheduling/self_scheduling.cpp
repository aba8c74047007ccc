// SPDX-License-Identifier: MIT
#include "sim/replay/self_scheduling/self_scheduling.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <span>
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

/// Where the answer begins: after what the master receives from the worker together with the result.
std::size_t answer_of(const SelfScheduling::Result& result, std::span<const Piece> pieces) {
  const auto receives_more = [&](const Operation& operation) {
    const auto* post = std::get_if<Post>(&operation);
    return post != nullptr && post->kind == TransferKind::receive && post->peer == result.worker;
  };
  std::size_t answer = result.first + 1;
  bool are_open = false;
  for (std::size_t p = answer; p < result.after; ++p) {
    const Body& body = *pieces[p].body;
    if (only_works(body)) continue;
    if (std::ranges::all_of(body.operations, receives_more)) {
      are_open = are_open || makes_request(body.operations.front());
    } else if (!only_completes(body) || !are_open) {
      break;
    }
    answer = p + 1;
  }
  return answer;
}

/// The results, and the parts of the master's program that have to do with them.
/// @returns whether it takes them one at a time, with one communicator and tag
bool find_results(std::span<const Piece> pieces, SelfScheduling& found) {
  std::map<std::int32_t, std::size_t> counts;
  bool takes_any_tag = false;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const std::vector<Operation>& operations = pieces[p].body->operations;
    const auto place = std::ranges::find_if(operations, [](const Operation& o) { return takes_any(o); });
    if (place == operations.end()) continue;
    const Post& post = std::get<Post>(*place);
    if (!post.blocking || operations.size() != 1) return false;
    if (found.results.empty()) {
      found.communicator = post.communicator;
      takes_any_tag = post.any_tag;
      if (!takes_any_tag) found.tag = post.tag;
    } else {
      found.results.back().after = p;
    }
    if (post.communicator != found.communicator || post.any_tag != takes_any_tag ||
        (found.tag && post.tag != *found.tag))
      return false;
    found.results.push_back({post.peer, counts[post.peer]++, p});
  }
  found.results.back().after = pieces.size();
  for (SelfScheduling::Result& result : found.results)
    result.answer = answer_of(result, pieces);
  return true;
}

/// Of all posts of some pieces, calls visit(piece, operation, post).
template <class Visit>
void for_each_post_of(std::span<const Piece> pieces, std::size_t first, std::size_t after, Visit&& visit) {
  for (std::size_t p = first; p < after; ++p)
    for (std::size_t o = 0; o < pieces[p].body->operations.size(); ++o)
      if (const auto* post = std::get_if<Post>(&pieces[p].body->operations[o])) visit(p, o, *post);
}

/// The master's part. @returns none if it does not take results as SelfScheduling says
std::optional<Receives> read_master(std::vector<Piece> pieces, SelfScheduling& found) {
  block_where_waited(pieces);
  if (!find_results(pieces, found)) return std::nullopt;
  std::set<std::int32_t> workers;
  for (const SelfScheduling::Result& result : found.results)
    workers.insert(result.worker);
  std::vector<std::vector<std::size_t>> with_sender(pieces.size());
  for (SelfScheduling::Result& result : found.results) {
    bool sends = false;
    bool has_others = false;
    for_each_post_of(pieces, result.answer, result.after, [&](std::size_t, std::size_t, const Post& post) {
      sends = sends || (post.peer == result.worker && post.kind == TransferKind::send);
      has_others = has_others || (post.peer != result.worker && workers.contains(post.peer));
    });
    result.is_answered_at_once = sends && !has_others;
    const std::size_t after = result.is_answered_at_once ? result.after : result.answer;
    for_each_post_of(pieces, result.first, after, [&](std::size_t p, std::size_t o, const Post& post) {
      if (post.peer == result.worker) with_sender[p].push_back(o);
    });
  }
  Receives receives;
  std::size_t result = 0;
  for_each_post_of(pieces, 0, pieces.size(), [&](std::size_t, std::size_t, const Post& post) {
    if (post.kind == TransferKind::receive)
      receives[{post.peer, post.communicator, post.tag}].push_back(post.any_source ? std::optional(result++)
                                                                                   : std::nullopt);
  });
  for (std::size_t p = 0; p < pieces.size(); ++p)
    found.master_pieces.push_back({std::move(pieces[p]), std::move(with_sender[p])});
  return receives;
}

/// Whether it has to do with the rank itself and the master alone.
bool may_move(const Operation& operation, std::int32_t master) {
  if (const auto* post = std::get_if<Post>(&operation))
    return is_two_sided(post->kind) && post->peer == master;
  return !std::holds_alternative<Collective>(operation) && !std::holds_alternative<Lock>(operation);
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
  worker.pieces = std::move(pieces);
  return worker;
}

/// Which results have tasks.
void find_tasks(SelfScheduling& found) {
  for (auto& [rank, worker] : found.workers) {
    for (std::size_t number = 0; number + 1 < worker.results.size(); ++number) {
      SelfScheduling::Result& result = found.results[worker.results[number]];
      const std::span<const Piece> until_next(
          worker.pieces.begin() + static_cast<std::ptrdiff_t>(worker.after[number]),
          worker.pieces.begin() + static_cast<std::ptrdiff_t>(worker.after[number + 1]));
      result.has_task =
          result.is_answered_at_once && std::ranges::all_of(until_next, [&](const Piece& piece) {
            return std::ranges::all_of(piece.body->operations, [&](const Operation& operation) {
              return may_move(operation, found.master);
            });
          });
    }
  }
}

/// Whether what the master posts to workers by name, not as an answer, goes to none that has a task: it would
/// not be there.
bool names_no_worker_with_task(const SelfScheduling& found) {
  std::set<std::int32_t> with_task;
  for (const SelfScheduling::Result& result : found.results) {
    if (result.has_task)
      with_task.insert(result.worker);
    else
      with_task.erase(result.worker);
    if (result.is_answered_at_once) continue;
    for (std::size_t p = result.answer; p < result.after; ++p)
      for (const Operation& operation : found.master_pieces[p].piece.body->operations)
        if (const auto* post = std::get_if<Post>(&operation);
            post != nullptr && with_task.contains(post->peer))
          return false;
  }
  return true;
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
  find_tasks(found);
  if (!names_no_worker_with_task(found)) return std::nullopt;
  return found;
}

}  // namespace finegrain::replay
