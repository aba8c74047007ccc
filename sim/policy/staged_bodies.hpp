// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "sim/policy/policy.hpp"

namespace finegrain::policy {

/// The bodies of ranks that make their accesses within their work: for each stage a region `compute` with the
/// work, what `access` adds for the accesses, what `end_stage` adds, and the fences.
/// @param access  called as access(rank, body, accesses), in program order of each rank
/// @param end_stage  called as end_stage(rank, body)
template <class OnAccesses, class OnEnd>
std::vector<Body> staged_bodies(const pattern::Pattern& pattern, const Run& run, OnAccesses&& access,
                                OnEnd&& end_stage) {
  std::vector<Body> ranks(static_cast<std::size_t>(run.ranks));
  std::vector<int> stages(ranks.size(), -1);  // the last stage that each rank has begun
  const auto end = [&](int rank) {
    Body& body = ranks[static_cast<std::size_t>(rank)];
    end_stage(rank, body);
    add_fences(body, pattern);
  };
  const auto begin_stages_until = [&](int rank, int stage) {
    for (int& last = stages[static_cast<std::size_t>(rank)]; last < stage;) {
      if (last >= 0) end(rank);
      ranks[static_cast<std::size_t>(rank)].add_region(regions::compute, pattern.work(run, rank, ++last));
    }
  };
  pattern.accesses(run, [&](int rank, int stage, std::span<const pattern::Access> accesses) {
    begin_stages_until(rank, stage);
    access(rank, ranks[static_cast<std::size_t>(rank)], accesses);
  });
  for (int rank = 0; rank < run.ranks; ++rank) {
    begin_stages_until(rank, pattern.stages(run) - 1);
    end(rank);
  }
  return ranks;
}

/// Adds a transfer, or raises the repeat count of the one before if both are the same.
/// @pre the last region has an operation
inline void add_or_repeat(Body& body, const Post& post) {
  if (auto* last = std::get_if<Post>(&body.operations.back())) {
    Post again = post;
    again.repeat = last->repeat;
    if (again == *last) {
      last->repeat += post.repeat;
      return;
    }
  }
  body.add(post);
}

}  // namespace finegrain::policy
