// SPDX-License-Identifier: MIT
#include "sim/replay/self_scheduling/worker_reader.hpp"

#include <utility>
#include <vector>

namespace finegrain::replay {
namespace {

/// @returns what the next message of these is for, and forgets it; none if there is no such message
std::optional<std::optional<std::size_t>> take_next(
    std::map<MasterMessages::Key, std::deque<std::optional<std::size_t>>>& messages,
    const MasterMessages::Key& key) {
  auto& of_key = messages[key];
  if (of_key.empty()) return std::nullopt;
  const std::optional<std::size_t> next = of_key.front();
  of_key.pop_front();
  return next;
}

/// A call that sends to the master, receives from it, and waits for both (MPI_Sendrecv), as two calls that
/// block. If the answer comes after the message, that is the same. Empty if the piece is something else.
std::vector<Piece> split_exchange(const Piece& piece, std::int32_t master) {
  std::vector<Post> posts;
  OpenRequests requests;
  for (const Operation& operation : piece.body->operations) {
    requests.add(operation);
    if (const auto* post = std::get_if<Post>(&operation)) {
      posts.push_back(*post);
    } else if (!std::holds_alternative<Complete>(operation)) {
      return {};
    }
  }
  if (posts.size() != 2 || posts[0].kind == posts[1].kind || !requests.empty()) return {};
  if (posts[0].kind != TransferKind::send) std::swap(posts[0], posts[1]);
  const RegionName name = piece.body->regions.front().name;
  std::vector<Piece> split;
  for (Post& post : posts) {
    if (!is_two_sided(post.kind) || post.peer != master || post.any_source) return {};
    post.blocking = true;
    split.push_back({one_operation(name, post), 0});
  }
  return split;
}

}  // namespace

WorkerReader::WorkerReader(std::int32_t rank, SelfScheduling& found, MasterMessages& messages)
    : rank_(rank), found_(found), messages_(messages) {
  for (std::size_t r = 0; r < found.results.size(); ++r)
    if (found.results[r].worker == rank) worker_.results.push_back(r);
}

void WorkerReader::read(const Piece& piece) {
  if (requests_.empty() && sends_result(*piece.body)) {
    if (const auto split = split_exchange(piece, found_.master); !split.empty()) {
      add(split.front());
      add(split.back());
      return;
    }
  }
  add(piece);
}

std::optional<SelfScheduling::Worker> WorkerReader::end() {
  // The last result has no answer: the worker goes on without one.
  if (waits_) worker_.after.push_back(sent_by_ + 1);
  if (!fits_ || worker_.after.size() != worker_.results.size()) return std::nullopt;
  return std::move(worker_);
}

bool WorkerReader::sends_result(const Body& body) {
  bool sends = false;
  for_each_post(body.operations, [&](const Post& post) {
    if (post.kind != TransferKind::send || post.peer != found_.master) return;
    const auto& expected = messages_.receives[{rank_, post.communicator, post.tag}];
    sends = sends || (!expected.empty() && expected.front().has_value());
  });
  return sends;
}

void WorkerReader::add(const Piece& piece) {
  const bool were_open = !requests_.empty();
  for (const Operation& operation : piece.body->operations) {
    const auto* post = std::get_if<Post>(&operation);
    if (post != nullptr && post->peer == found_.master && is_two_sided(post->kind)) meet(*post, were_open);
    requests_.add(operation);
  }
  worker_.pieces.push_back(piece);
}

void WorkerReader::meet(const Post& post, bool were_open) {
  const std::size_t place = worker_.pieces.size();
  const MasterMessages::Key key{rank_, post.communicator, post.tag};
  fits_ = fits_ && post.repeat == 1;
  if (post.kind == TransferKind::send) {
    const auto expected = take_next(messages_.receives, key);
    if (!expected) ++found_.unreceived;
    if (!expected || !*expected) return;
    fits_ = fits_ && !waits_;
    waits_ = true;
    sent_by_ = place;
    result_ = **expected;
    return;
  }
  const auto answers = take_next(messages_.sends, key);
  if (!waits_) return;
  fits_ = fits_ && sent_by_ != place && !were_open;
  worker_.after.push_back(place);
  waits_ = false;
  // A message that the master had sent before, such as a second task, is no answer.
  if (!answers || *answers != result_) found_.results[result_].is_answered_at_once = false;
}

}  // namespace finegrain::replay
