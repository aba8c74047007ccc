// SPDX-License-Identifier: MIT
#include "sim/replay/programs/check_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::replay {
namespace {

/// Messages that are matched with one another: from and to, communicator and tag.
using Ends = std::tuple<int, int, std::int32_t, std::int32_t>;

struct PostedMessage {
  Ends ends;
  std::int64_t bytes;
  bool operator==(const PostedMessage&) const = default;
};

void check_post(const Post& post, int rank, int ranks) {
  if (post.peer < 0 || post.peer >= ranks) {
    throw InputError("schedule",
                     fmt::format("rank {} has a message with rank {} (there are {})", rank, post.peer,
                                 format_count(ranks, "rank")),
                     "Is it replayed with the wrong number of ranks?");
  }
  if (post.size_bytes < 0 || post.repeat < 1) {
    throw InputError("schedule",
                     fmt::format("rank {} has a message of {}, {} times (impossible)", rank,
                                 format_count(post.size_bytes, "byte"), post.repeat),
                     "Record it again");
  }
}

std::int64_t barriers(const Body& body) {
  return std::ranges::count_if(body.operations, [](const Operation& operation) {
    return std::holds_alternative<Collective>(operation);
  });
}

/// Every request is waited for in the iteration that makes it, so that the next iteration begins like this
/// one.
void check_requests(const Body& body, int rank) {
  std::vector<bool> open;
  for (const Operation& operation : body.operations) {
    const auto* post = std::get_if<Post>(&operation);
    if (post != nullptr && makes_request(*post)) open.push_back(true);
    const auto* complete = std::get_if<Complete>(&operation);
    if (complete == nullptr) continue;
    const auto made = static_cast<std::int64_t>(open.size());
    if (complete->oldest > made || complete->count > complete->oldest || complete->count < 0) {
      throw InputError(
          "schedule",
          fmt::format(
              "rank {} waits for {} requests from the {}th last on, and has made {} (they do not exist)",
              rank, complete->count, complete->oldest, made),
          "Record it again");
    }
    const auto first = complete->is_all() ? open.begin() : open.end() - complete->oldest;
    std::fill(first, complete->is_all() ? open.end() : first + complete->count, false);
  }
  if (std::ranges::find(open, true) == open.end()) return;
  throw InputError("schedule",
                   fmt::format("rank {} never waits for its last messages (nothing completes them)", rank),
                   "Record it again");
}

/// Those of the same ends stay in their order.
void sort_by_ends(std::vector<PostedMessage>& messages) {
  std::ranges::stable_sort(messages, {}, &PostedMessage::ends);
}

/// @param messages  sorted
std::span<const PostedMessage> between(const std::vector<PostedMessage>& messages, const Ends& ends) {
  const auto first = std::ranges::lower_bound(messages, ends, {}, &PostedMessage::ends);
  const auto last = std::ranges::upper_bound(messages, ends, {}, &PostedMessage::ends);
  return {first, last};
}

/// Both ends of every message have to agree. @param sent, received  sorted
void check_matches(const std::vector<PostedMessage>& sent, const std::vector<PostedMessage>& received) {
  if (sent == received) return;
  for (const std::vector<PostedMessage>* messages : {&sent, &received}) {
    for (const PostedMessage& message : *messages) {
      const std::span<const PostedMessage> there = between(sent, message.ends);
      const std::span<const PostedMessage> here = between(received, message.ends);
      if (std::ranges::equal(there, here)) continue;
      const auto& [from, to, communicator, tag] = message.ends;
      const std::string named = tag == 0 && communicator == 0
                                    ? ""
                                    : fmt::format(" with tag {} on communicator {}", tag, communicator);
      throw InputError("schedule",
                       fmt::format("rank {} sends {} to rank {}{}, which receives {} from it, or of "
                                   "other sizes (both ends must agree)",
                                   from, format_count(there.size(), "message"), to, named, here.size()),
                       "Record it again");
    }
  }
}

}  // namespace

void check_schedule(const Schedule& schedule) {
  const int ranks = schedule.run.ranks;
  if (ranks < 1 || static_cast<std::size_t>(ranks) != schedule.ranks.size()) {
    throw InputError("schedule",
                     fmt::format("{}, but iterations of {} (one each is needed)", format_count(ranks, "rank"),
                                 schedule.ranks.size()),
                     "Is it replayed with the wrong number of ranks?");
  }
  if (schedule.run.iterations < 1) {
    throw InputError("iterations", fmt::format("{} is not a number of iterations", schedule.run.iterations),
                     "Give 1 or more");
  }
  std::vector<PostedMessage> sent;
  std::vector<PostedMessage> received;
  for (int rank = 0; rank < ranks; ++rank) {
    const Body& body = schedule.ranks[static_cast<std::size_t>(rank)];
    for_each_post(body.operations, [&](const Post& post) {
      check_post(post, rank, ranks);
      if (!is_two_sided(post.kind)) return;
      const bool is_send = post.kind == TransferKind::send;
      const Ends ends{is_send ? rank : post.peer, is_send ? post.peer : rank, post.communicator, post.tag};
      (is_send ? sent : received).push_back({ends, post.size_bytes * post.repeat});
    });
    check_requests(body, rank);
    if (barriers(body) != barriers(schedule.ranks.front())) {
      throw InputError(
          "schedule",
          fmt::format("rank {} has {} barriers an iteration, rank 0 has {} (all ranks must meet)", rank,
                      barriers(body), barriers(schedule.ranks.front())),
          "Record it again");
    }
  }
  sort_by_ends(sent);
  sort_by_ends(received);
  check_matches(sent, received);
}

}  // namespace finegrain::replay
