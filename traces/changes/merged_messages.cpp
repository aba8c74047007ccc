// SPDX-License-Identifier: MIT
#include "traces/changes/merged_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "traces/changes/merging_cursor.hpp"
#include "traces/changes/structure.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::changes {
namespace {

/// Sends and puts are what is merged.
bool may_merge(TransferKind kind) {
  return kind == TransferKind::send || kind == TransferKind::put;
}

/// Whether the rank may wait in this operation for something that other ranks do.
bool is_wait(const Operation& operation) {
  if (std::holds_alternative<Complete>(operation) || std::holds_alternative<Lock>(operation)) return true;
  if (const auto* post = std::get_if<Post>(&operation))
    return post->kind != TransferKind::send && !makes_request(*post);
  const auto* collective = std::get_if<Collective>(&operation);
  return collective != nullptr && !makes_request(*collective);
}

/// What all ranks' groups have in common.
struct AllGroups {
  std::int64_t groups = 0;
  std::vector<std::set<std::int32_t>> mixed_tags = {};  ///< groups whose tags differ, each once
  std::set<std::int32_t> used_tags = {};

  /// Stands for a tag until all tags are known: -1 for the first, -2 for the second, ...
  std::int32_t placeholder(const std::set<std::int32_t>& tags) {
    const auto known = std::ranges::find(mixed_tags, tags);
    const auto number = static_cast<std::int32_t>(known - mixed_tags.begin());
    if (known == mixed_tags.end()) mixed_tags.push_back(tags);
    return -1 - number;
  }
};

/// Finds what a rank's sends and puts become.
class SendGroups {
 public:
  SendGroups(const ProgramChange& change, int rank, AllGroups& all)
      : change_(change), rank_(rank), all_(all) {}

  /// @returns how many sends and puts are meant
  std::int64_t pass(const Body& body) {
    std::int64_t meant = 0;
    if (depends_on_arrival(body)) close_all();
    for (const Region& region : body.regions) {
      const bool is_meant = is_about(change_, region.name);
      for (const Operation& operation : body.operations_of(region)) {
        const auto* post = std::get_if<Post>(&operation);
        const bool is_member = is_meant && post != nullptr && may_merge(post->kind);
        if (!is_member && is_wait(operation)) close_all();
        if (post != nullptr && may_merge(post->kind)) add(*post, is_meant);
        meant += is_member ? 1 : 0;
      }
    }
    return meant;
  }

  /// Channels without groups are left out. @returns how many messages are no more
  std::int64_t finish(MergedChannels& channels) {
    close_all();
    std::int64_t gone = 0;
    for (auto& [channel, posts] : channels_) {
      bool any = false;
      for (const MergedPost& post : posts) {
        any = any || post.is_merged();
        gone += post.is_dropped ? 1 : 0;
      }
      if (any) channels.emplace(channel, std::move(posts));
    }
    return gone;
  }

 private:
  /// Messages that are under way to become one, in their order.
  struct Member {
    MessageChannel channel;
    std::size_t place;  ///< in the channel
  };

  void add(const Post& post, bool is_meant) {
    MessageChannel channel{post.peer, post.communicator, post.tag, post.kind == TransferKind::put};
    if (!channel.is_put) all_.used_tags.insert(post.tag);
    std::vector<MergedPost>& posts = channels_[channel];
    posts.push_back({.size_bytes = post.size_bytes * post.repeat, .tag = post.tag});
    if (!is_meant) return;
    const Member member{channel, posts.size() - 1};
    channel.tag = 0;
    open_[channel].push_back(member);
  }

  void close_all() {
    for (const auto& [receiver, members] : open_)
      if (members.size() > 1) close(members);
    open_.clear();
  }

  void close(const std::vector<Member>& members) {
    std::set<std::int32_t> tags;
    MergedPost merged{.group = all_.groups++, .group_size = static_cast<std::int32_t>(members.size())};
    for (const Member& member : members) {
      tags.insert(member.channel.tag);
      merged.size_bytes += channels_[member.channel][member.place].size_bytes;
    }
    if (tags.size() == 1) check_order(members);
    merged.tag = tags.size() == 1 ? *tags.begin() : all_.placeholder(tags);
    merged.is_dropped = true;
    for (const Member& member : members)
      channels_[member.channel][member.place] = merged;
    channels_[members.back().channel][members.back().place].is_dropped = false;
  }

  /// @throws InputError if other messages with the tag of all of them are between them
  void check_order(const std::vector<Member>& members) const {
    const MessageChannel& channel = members.front().channel;
    if (channel.is_put || members.back().place - members.front().place + 1 == members.size()) return;
    throw InputError(change_flag,
                     fmt::format("'{}': rank {} sends rank {} other messages with tag {} between those that "
                                 "would be one, and the order of all would be ambiguous",
                                 change_.text, rank_, channel.peer, channel.tag),
                     "Name all places that send them");
  }

  const ProgramChange& change_;
  int rank_;
  AllGroups& all_;
  MergedChannels channels_;
  std::map<MessageChannel, std::vector<Member>> open_;  ///< by channel, whatever the tag
};

}  // namespace

MergedMessages::MergedMessages(const Programs& programs, ProgramChange change)
    : DerivedPrograms(programs), change_(std::move(change)) {
  find_sends();
  find_receives();
}

void MergedMessages::find_sends() {
  std::set<RegionName> names;
  receives_.resize(static_cast<std::size_t>(programs().ranks()));
  AllGroups all;
  for (int rank = 0; rank < programs().ranks(); ++rank) {
    SendGroups groups(change_, rank, all);
    const auto cursor = programs().rank(rank);
    while (const Loop* loop = cursor->next()) {
      for (const Region& region : loop->body->regions)
        names.insert(region.name);
      if (count_posts(loop->body->operations) == 0 && loop->count > 1) {
        groups.pass(*loop->body);  // again would change nothing
        continue;
      }
      for (std::int64_t time = 0; time < loop->count; ++time)
        before_ += groups.pass(*loop->body);
    }
    after_ -= groups.finish(sends_.emplace_back());
  }
  after_ += before_;
  set_tags(all.mixed_tags, all.used_tags);
  for (int rank = 0; rank < programs().ranks(); ++rank)
    for (const auto& [channel, posts] : sends_[static_cast<std::size_t>(rank)])
      if (!channel.is_put)
        receives_[static_cast<std::size_t>(channel.peer)].emplace(
            MessageChannel{rank, channel.communicator, channel.tag}, posts);
  bool is_known = false;
  for (const RegionName name : names)
    is_known = is_known || is_about(change_, name);
  if (!is_known) refuse_unknown_calls(change_, names);
  if (before_ == 0)
    throw InputError(change_flag, fmt::format("the calls of '{}' send no messages", change_.text),
                     "Name the place that sends");
  if (after_ == before_)
    throw InputError(change_flag,
                     fmt::format("'{}' finds no two messages to one rank between which their "
                                 "sender waits for nothing",
                                 change_.text),
                     "Leave it out");
}

/// Each set of tags that differ gets the lowest tag that is left.
void MergedMessages::set_tags(const std::vector<std::set<std::int32_t>>& mixed_tags,
                              const std::set<std::int32_t>& used) {
  std::vector<std::int32_t> tags;
  std::int32_t next = 0;
  while (tags.size() < mixed_tags.size()) {
    if (!used.contains(next)) tags.push_back(next);
    ++next;
  }
  for (MergedChannels& channels : sends_)
    for (auto& [channel, posts] : channels)
      for (MergedPost& post : posts)
        if (post.is_merged() && post.tag < 0) post.tag = tags[static_cast<std::size_t>(-1 - post.tag)];
}

void MergedMessages::find_receives() {
  for (int rank = 0; rank < programs().ranks(); ++rank) {
    const MergedChannels& channels = receives_[static_cast<std::size_t>(rank)];
    if (channels.empty()) continue;
    const auto cursor = programs().rank(rank);
    while (const Loop* loop = cursor->next())
      for_each_post(loop->body->operations, [&](const Post& post) {
        if (post.any_source || post.any_tag)
          throw InputError(
              change_flag,
              fmt::format("'{}': rank {} receives messages of any {}, so which of them would be one "
                          "is ambiguous",
                          change_.text, rank, post.any_source ? "source" : "tag"),
              "Leave it out");
      });
  }
}

std::unique_ptr<ProgramCursor> MergedMessages::rank(int rank) const {
  const auto place = static_cast<std::size_t>(rank);
  if (sends_[place].empty() && receives_[place].empty()) return programs().rank(rank);
  return std::make_unique<MergingCursor>(programs().rank(rank), sends_[place], receives_[place]);
}

std::string MergedMessages::note() const {
  return fmt::format("changed: {} ({}, were {})", change_.text, format_count(after_, "message"), before_);
}

}  // namespace finegrain::changes
