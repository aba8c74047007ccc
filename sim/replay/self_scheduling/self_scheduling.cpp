// SPDX-License-Identifier: MIT
#include "sim/replay/self_scheduling/self_scheduling.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "sim/replay/folding/call_sequence.hpp"
#include "sim/replay/self_scheduling/pieces.hpp"
#include "sim/replay/self_scheduling/worker_reader.hpp"
#include "traces/quantile.hpp"

namespace finegrain::replay {
namespace {

constexpr std::size_t most_pieces = 8'000'000;  // the master's and all workers': 200 MB, besides their bodies
/// In the median, between posting a receive from any source and waiting for it: then it may count as one that
/// blocks.
constexpr double most_seconds_posted = 1e-5;

bool takes_any(const Operation& operation) {
  const auto* post = std::get_if<Post>(&operation);
  return post != nullptr && post->kind == TransferKind::receive && post->any_source;
}

bool takes_any(const CallSequence& sequence) {
  return std::ranges::any_of(sequence.bodies, [](const std::shared_ptr<const Body>& body) {
    return std::ranges::any_of(body->operations,
                               [](const Operation& operation) { return takes_any(operation); });
  });
}

/// Turns receives from any source that are posted, and waited for at once, into blocking ones.
void block_where_waited(std::vector<Piece>& pieces) {
  std::vector<std::pair<std::size_t, std::size_t>> found;  // where it is posted, where it is waited for
  std::vector<double> work_s;                              // between both
  OpenRequests requests;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const std::vector<Operation>& operations = pieces[p].body->operations;
    const auto* post = operations.size() == 1 ? std::get_if<Post>(operations.data()) : nullptr;
    if (post != nullptr && post->any_source && !post->blocking && requests.empty()) {
      std::size_t wait = p + 1;
      double seconds = 0;
      for (; wait < pieces.size() && only_works(*pieces[wait].body); ++wait)
        seconds += pieces[wait].seconds;
      if (wait < pieces.size() && only_completes(*pieces[wait].body)) {
        found.emplace_back(p, wait);
        work_s.push_back(seconds);
      }
    }
    for (const Operation& operation : operations)
      requests.add(operation);
  }
  // A rank may lose its core between two calls, but does not do so most of the time.
  if (found.empty() || quantile(work_s, 0.5) > most_seconds_posted) return;
  for (const auto& [posted, wait] : found) {
    Post blocking = std::get<Post>(pieces[posted].body->operations.front());
    blocking.blocking = true;
    Body nothing;
    nothing.begin_region(pieces[posted].body->regions.front().name);
    pieces[posted].body = std::make_shared<const Body>(std::move(nothing));
    pieces[wait].body = one_operation(pieces[wait].body->regions.front().name, blocking);
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

/// Calls visit(piece, operation, post) for all posts of some pieces.
template <class Visit>
void for_each_post_of(std::span<const Piece> pieces, std::size_t first, std::size_t after, Visit&& visit) {
  for (std::size_t p = first; p < after; ++p)
    for (std::size_t o = 0; o < pieces[p].body->operations.size(); ++o)
      if (const auto* post = std::get_if<Post>(&pieces[p].body->operations[o])) visit(p, o, *post);
}

/// The master's part. @returns none if it does not take results as SelfScheduling says
std::optional<MasterMessages> read_master(std::vector<Piece> pieces, SelfScheduling& found) {
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
  MasterMessages messages;
  bool are_single = true;
  std::size_t taken = 0;
  for_each_post_of(pieces, 0, pieces.size(), [&](std::size_t p, std::size_t, const Post& post) {
    if (!is_two_sided(post.kind)) return;
    are_single = are_single && post.repeat == 1;
    const MasterMessages::Key key{post.peer, post.communicator, post.tag};
    if (post.kind == TransferKind::receive) {
      messages.receives[key].push_back(post.any_source ? std::optional(taken++) : std::nullopt);
    } else {
      const bool answers = taken > 0 && !with_sender[p].empty() && p >= found.results[taken - 1].answer;
      messages.sends[key].push_back(answers ? std::optional(taken - 1) : std::nullopt);
    }
  });
  if (!are_single) return std::nullopt;
  for (std::size_t p = 0; p < pieces.size(); ++p)
    found.master_pieces.push_back({std::move(pieces[p]), std::move(with_sender[p])});
  return messages;
}

/// Whether it has to do with the rank itself and the master alone.
bool may_move(const Operation& operation, std::int32_t master) {
  if (const auto* post = std::get_if<Post>(&operation))
    return is_two_sided(post->kind) && post->peer == master;
  return !std::holds_alternative<Collective>(operation) && !std::holds_alternative<Lock>(operation);
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

/// Whether tasks run out: after a worker got none, no other one gets any, until all got none. Otherwise what
/// ranks do after an answer is work of their own, which some have more often than others.
bool tasks_run_out(const SelfScheduling& found) {
  std::set<std::int32_t> without;
  for (const SelfScheduling::Result& result : found.results) {
    if (result.has_task && !without.empty()) return false;
    if (!result.has_task) without.insert(result.worker);
    if (without.size() == found.workers.size()) without.clear();
  }
  return true;
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
  SelfScheduling found;
  std::optional<CallSequence> master;
  std::vector<std::size_t> calls;
  for (std::int32_t rank = 0; rank < programs.ranks(); ++rank) {
    auto sequence = read_calls(*programs.rank(rank));
    if (!sequence) return std::nullopt;
    calls.push_back(sequence->calls.size());
    if (!takes_any(*sequence)) continue;
    if (master) return std::nullopt;
    found.master = rank;
    master = std::move(sequence);
  }
  if (!master) return std::nullopt;
  auto messages = read_master(pieces_of(*master), found);
  if (!messages) return std::nullopt;
  std::set<std::int32_t> workers;
  for (const SelfScheduling::Result& result : found.results)
    workers.insert(result.worker);
  if (workers.contains(found.master)) return std::nullopt;
  std::size_t pieces = found.master_pieces.size();
  for (const std::int32_t rank : workers) {
    pieces += 2 * calls[static_cast<std::size_t>(rank)];
    if (pieces > most_pieces) return std::nullopt;
    const auto sequence = read_calls(*programs.rank(rank));
    WorkerReader reader(rank, found, *messages);
    for (const Piece& piece : pieces_of(*sequence))
      reader.read(piece);
    auto worker = reader.end();
    if (!worker) return std::nullopt;
    found.workers.emplace(rank, std::move(*worker));
  }
  for (const auto& [key, sends] : messages->sends)
    if (workers.contains(std::get<0>(key))) found.unreceived += std::ssize(sends);
  find_tasks(found);
  if (!tasks_run_out(found))
    for (SelfScheduling::Result& result : found.results)
      result.has_task = false;
  if (!names_no_worker_with_task(found)) return std::nullopt;
  return found;
}

}  // namespace finegrain::replay
