// SPDX-License-Identifier: MIT
#include "traces/formats/message_tags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "traces/io/input_error.hpp"

namespace finegrain::formats {
namespace {

/// A tag below 0 is any tag in GOAL; in SMPI too, or that of one of its own messages.
bool keeps_tag(const Post& post) {
  return post.communicator == 0 && post.tag >= 0;
}

}  // namespace

MessageTags::MessageTags(const Trace& trace) {
  std::int32_t last = -1;
  for (int rank = 0; rank < trace.manifest().run.ranks; ++rank) {
    Trace::RankReader reader = trace.rank(rank);
    while (const auto call = reader.next()) {
      for_each_post(call->body.operations, [&](const Post& post) {
        if (!is_two_sided(post.kind)) return;
        if (keeps_tag(post)) {
          last = std::max(last, post.tag);
          return;
        }
        tags_.try_emplace({post.communicator, post.tag});
        if (post.kind == TransferKind::send) messages_ += post.repeat;
      });
    }
  }
  if (last + std::ssize(tags_) > std::int64_t{std::numeric_limits<std::int32_t>::max()}) {
    throw InputError(
        "export",
        fmt::format("messages of other communicators need {} new tags, and the largest one is {}",
                    tags_.size(), last),
        "Use smaller tags, or finegrain replay");
  }
  first_ = last + 1;
  for (auto& [key, tag] : tags_)
    tag = ++last;
}

std::int32_t MessageTags::of(const Post& post) const {
  return keeps_tag(post) ? post.tag : tags_.at({post.communicator, post.tag});
}

}  // namespace finegrain::formats
