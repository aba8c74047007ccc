// SPDX-License-Identifier: MIT
#include "traces/changes/merged_messages.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "traces/changes/merging_cursor.hpp"
#include "traces/changes/structure.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::changes {
namespace {

/// Whether the rank may wait in this operation for something that other ranks do.
bool is_wait(const Operation& operation) {
  if (std::holds_alternative<Complete>(operation) || std::holds_alternative<Lock>(operation)) return true;
  if (const auto* post = std::get_if<Post>(&operation))
    return post->kind != TransferKind::send && !makes_request(*post);
  const auto* collective = std::get_if<Collective>(&operation);
  return collective != nullptr && !makes_request(*collective);
}

/// The messages of a rank that are under way to become one.
struct OpenGroup {
  std::vector<std::size_t> places;  ///< in the channel
};

/// Finds what a rank's sends become.
class SendGroups {
 public:
  SendGroups(const ProgramChange& change, int rank) : change_(change), rank_(rank) {}

  /// @returns how many sends are meant
  std::int64_t pass(const Body& body) {
    std::int64_t meant = 0;
    if (depends_on_arrival(body)) open_.clear();
    for (const Region& region : body.regions) {
      const bool is_meant = is_about(change_, region.name);
      for (const Operation& operation : body.operations_of(region)) {
        const auto* post = std::get_if<Post>(&operation);
        if (post != nullptr && post->kind == TransferKind::send) {
          add(*post, is_meant);
          meant += is_meant ? 1 : 0;
        } else if (is_wait(operation)) {
          open_.clear();
        }
      }
    }
    return meant;
  }

  /// Channels without groups are left out. @returns how many messages are no more
  std::int64_t finish(MergedChannels& channels) {
    std::int64_t gone = 0;
    for (auto& [channel, posts] : channels_) {
      bool any = false;
      for (const MergedPost& post : posts) {
        any = any || post.is_merged;
        gone += post.is_dropped ? 1 : 0;
      }
      if (any) channels.emplace(channel, std::move(posts));
    }
    return gone;
  }

 private:
  void add(const Post& post, bool is_meant) {
    const MessageChannel channel{post.peer, post.communicator, post.tag};
    std::vector<MergedPost>& posts = channels_[channel];
    posts.push_back({.size_bytes = post.size_bytes * post.repeat});
    if (!is_meant) return;
    OpenGroup& group = open_[channel];
    if (!group.places.empty()) {
      if (group.places.back() + 2 != posts.size())
        throw InputError(
            change_flag,
            fmt::format("'{}': rank {} sends rank {} other messages with tag {} between those that "
                        "would be one, and the order of all would be ambiguous",
                        change_.text, rank_, post.peer, post.tag),
            "Name all places that send them");
      MergedPost& last = posts[group.places.back()];
      last.is_dropped = last.is_merged = posts.back().is_merged = true;
      posts.back().size_bytes += last.size_bytes;
    }
    group.places.push_back(posts.size() - 1);
  }

  const ProgramChange& change_;
  int rank_;
  MergedChannels channels_;
  std::map<MessageChannel, OpenGroup> open_;
};

/// What the receives of a channel become: the first of a group is left, of sends the last.
std::vector<MergedPost> receives_of(const std::vector<MergedPost>& sends) {
  std::vector<MergedPost> receives = sends;
  for (std::size_t last = 0, first = 0; last < sends.size(); first = ++last) {
    while (sends[last].is_dropped)
      ++last;
    for (std::size_t place = first; place <= last; ++place)
      receives[place].is_dropped = place > first;
    receives[first].size_bytes = sends[last].size_bytes;
  }
  return receives;
}

}  // namespace

MergedMessages::MergedMessages(const Programs& programs, ProgramChange change)
    : DerivedPrograms(programs), change_(std::move(change)) {
  find_sends();
  find_receives();
}

void MergedMessages::find_sends() {
  std::set<RegionName> names;
  receives_.resize(static_cast<std::size_t>(programs().ranks()));
  for (int rank = 0; rank < programs().ranks(); ++rank) {
    SendGroups groups(change_, rank);
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
    for (const auto& [channel, posts] : sends_.back())
      receives_[static_cast<std::size_t>(channel.peer)].emplace(
          MessageChannel{rank, channel.communicator, channel.tag}, receives_of(posts));
  }
  after_ += before_;
  bool is_known = false;
  for (const RegionName name : names)
    is_known = is_known || is_about(change_, name);
  if (!is_known) refuse_unknown_calls(change_, names);
  if (before_ == 0)
    throw InputError(change_flag, fmt::format("the calls of '{}' send no messages", change_.text),
                     "Name the place that sends");
  if (after_ == before_)
    throw InputError(change_flag,
                     fmt::format("'{}' finds no two messages to one rank with one tag between which their "
                                 "sender waits for nothing",
                                 change_.text),
                     "Leave it out");
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
