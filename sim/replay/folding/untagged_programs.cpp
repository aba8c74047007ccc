// SPDX-License-Identifier: MIT
#include "sim/replay/folding/untagged_programs.hpp"

#include <algorithm>
#include <boost/functional/hash.hpp>
#include <functional>
#include <unordered_map>
#include <utility>

#include "sim/replay/folding/call_sequence.hpp"
#include "traces/share_read.hpp"

namespace finegrain::replay {
namespace {

class UntaggedCursor : public ProgramCursor, public KnowsShareRead {
 public:
  /// @param needs_tag  true for messages that keep theirs
  UntaggedCursor(std::unique_ptr<ProgramCursor> program, std::function<bool(const Post&)> needs_tag)
      : program_(std::move(program)), needs_tag_(std::move(needs_tag)) {}

  const Loop* next() override {
    const Loop* loop = program_->next();
    if (loop == nullptr) return nullptr;
    const auto loses_tag = [&](const Post& post) {
      return is_two_sided(post.kind) && post.tag != 0 && !needs_tag_(post);
    };
    bool loses_any = false;
    for_each_post(loop->body->operations,
                  [&](const Post& post) { loses_any = loses_any || loses_tag(post); });
    if (!loses_any) return loop;
    Body body = *loop->body;
    for (Operation& operation : body.operations)
      if (auto* post = std::get_if<Post>(&operation); post != nullptr && loses_tag(*post)) post->tag = 0;
    loop_ = *loop;
    loop_.body = kept(std::move(body));
    return &loop_;
  }
  bool ends_early() const override { return program_->ends_early(); }
  double share_read() const override { return share_read_by(*program_); }

 private:
  /// Equal bodies are one object.
  std::shared_ptr<const Body> kept(Body body) {
    const std::size_t hash = hash_of(body);
    const auto [first, last] = bodies_.equal_range(hash);
    for (auto known = first; known != last; ++known)
      if (*known->second == body) return known->second;
    return bodies_.emplace(hash, std::make_shared<const Body>(std::move(body)))->second;
  }

  std::unique_ptr<ProgramCursor> program_;
  std::function<bool(const Post&)> needs_tag_;
  std::unordered_multimap<std::size_t, std::shared_ptr<const Body>> bodies_;
  Loop loop_{};
};

}  // namespace

void UntaggedPrograms::Tags::add(std::int32_t tag) {
  ++count;
  boost::hash_combine(hash, tag);
}

UntaggedPrograms::Key UntaggedPrograms::key_of(int rank, const Post& post) {
  return post.kind == TransferKind::send ? Key{rank, post.peer, post.communicator}
                                         : Key{post.peer, rank, post.communicator};
}

UntaggedPrograms::UntaggedPrograms(const Programs& programs) : DerivedPrograms(programs) {
  for (int rank = 0; rank < programs.ranks(); ++rank) {
    const auto cursor = programs.rank(rank);
    const auto add = [&](const Post& post) {
      if (!is_two_sided(post.kind)) return;
      Pair& pair = pairs_[key_of(rank, post)];
      Tags& tags = post.kind == TransferKind::send ? pair.sent : pair.received;
      pair.changes = pair.changes || (tags.count > 0 && post.tag != pair.last_tag);
      pair.last_tag = post.tag;
      for (std::int64_t n = 0; n < post.repeat; ++n)
        tags.add(post.tag);
    };
    while (const Loop* loop = cursor->next())
      for (std::int64_t n = 0; n < loop->count; ++n)
        for_each_post(loop->body->operations, add);
  }
  leaves_out_any_ = std::ranges::any_of(pairs_, [](const auto& of_ranks) {
    const Pair& pair = of_ranks.second;
    return pair.changes && pair.sent == pair.received;
  });
}

bool UntaggedPrograms::needs_tag(int rank, const Post& post) const {
  const auto pair = pairs_.find(key_of(rank, post));
  return pair == pairs_.end() || pair->second.sent != pair->second.received;
}

std::unique_ptr<ProgramCursor> UntaggedPrograms::rank(int rank) const {
  return std::make_unique<UntaggedCursor>(programs().rank(rank),
                                          [this, rank](const Post& post) { return needs_tag(rank, post); });
}

std::unique_ptr<ProgramCursor> without_tags(std::unique_ptr<ProgramCursor> program) {
  return std::make_unique<UntaggedCursor>(std::move(program), [](const Post& /*post*/) { return false; });
}

}  // namespace finegrain::replay
