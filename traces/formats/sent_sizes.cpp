// SPDX-License-Identifier: MIT
#include "traces/formats/sent_sizes.hpp"

namespace finegrain::formats {

SentSizes::SentSizes(const Trace& trace) {
  for (std::int32_t rank = 0; rank < trace.manifest().run.ranks; ++rank) {
    Trace::RankReader reader = trace.rank(rank);
    while (const auto recorded = reader.next()) {
      for_each_post(recorded->body.operations, [&](const Post& post) {
        if (post.kind != TransferKind::send) return;
        std::vector<Stretch>& stretches = sent_[{post.communicator, rank, post.peer, post.tag}].stretches;
        const std::int64_t size_bytes = post.size_bytes * post.repeat;
        if (stretches.empty() || stretches.back().size_bytes != size_bytes)
          stretches.push_back({size_bytes, 0});
        ++stretches.back().count;
      });
    }
  }
}

std::optional<std::int64_t> SentSizes::take(const Alike& alike) {
  const auto found = sent_.find(alike);
  if (found == sent_.end() || found->second.next == found->second.stretches.size()) return std::nullopt;
  Sent& sent = found->second;
  const Stretch& stretch = sent.stretches[sent.next];
  const std::int64_t size_bytes = stretch.size_bytes;
  if (++sent.taken == stretch.count) {
    ++sent.next;
    sent.taken = 0;
  }
  return size_bytes;
}

}  // namespace finegrain::formats
