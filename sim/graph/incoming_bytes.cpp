// SPDX-License-Identifier: MIT
#include "sim/graph/incoming_bytes.hpp"

namespace finegrain::graph {

std::vector<std::int64_t> incoming_bytes(const Schedule& schedule) {
  std::vector<std::int64_t> bytes(schedule.ranks.size());
  for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
    for_each_post(schedule.ranks[rank].operations, [&](const Post& post) {
      if (post.peer == static_cast<std::int32_t>(rank) || post.kind == TransferKind::send) return;
      const std::size_t to = is_incoming(post.kind) ? rank : static_cast<std::size_t>(post.peer);
      bytes[to] += post.repeat * post.size_bytes;
    });
  }
  return bytes;
}

}  // namespace finegrain::graph
