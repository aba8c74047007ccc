// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <stdexcept>
#include <vector>

#include "traces/operation.hpp"

namespace finegrain {

/// A transfer that makes a request.
inline Post transfer(TransferKind kind, std::int32_t peer, std::int64_t size_bytes, std::int64_t repeat = 1) {
  return {.kind = kind, .peer = peer, .size_bytes = size_bytes, .repeat = repeat};
}

inline Post blocking(Post post) {
  post.blocking = true;
  return post;
}

inline Post from_private_memory(Post post) {
  post.private_memory = true;
  return post;
}

inline Post tagged(Post post, std::int32_t tag, std::int32_t communicator = 0) {
  post.tag = tag;
  post.communicator = communicator;
  return post;
}

inline std::vector<Post> posts_of(std::span<const Operation> operations) {
  std::vector<Post> posts;
  for_each_post(operations, [&](const Post& post) { posts.push_back(post); });
  return posts;
}

/// A region's name, what its work moves, how many posts come before it, and its own.
struct RegionFacts {
  RegionName name;
  std::int64_t memory_bytes;
  std::int64_t posts_before;
  std::int64_t posts;

  friend bool operator==(const RegionFacts&, const RegionFacts&) = default;
};

inline std::vector<RegionFacts> facts_of(const Body& body) {
  std::vector<RegionFacts> facts;
  std::int64_t before = 0;
  for (const Region& region : body.regions) {
    const auto operations = body.operations_of(region);
    facts.push_back({region.name, memory_bytes(operations), before, count_posts(operations)});
    before += facts.back().posts;
  }
  return facts;
}

/// Kind, peer, size and repeat of the posts: what moves, without how.
inline std::vector<Post> messages_of(std::span<const Operation> operations) {
  std::vector<Post> posts = posts_of(operations);
  for (Post& post : posts)
    post = transfer(post.kind, post.peer, post.size_bytes, post.repeat);
  return posts;
}
inline std::vector<Post> messages_of(const Body& body) {
  return messages_of(body.operations);
}

/// The number-th post of a body, counted from 0, to be changed.
inline Post& post_at(Body& body, int number) {
  for (Operation& operation : body.operations) {
    if (auto* post = std::get_if<Post>(&operation); post != nullptr && number-- == 0) return *post;
  }
  throw std::out_of_range("no such post");
}

}  // namespace finegrain
