// SPDX-License-Identifier: MIT
#include "sim/replay/programs/check_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::replay {
namespace {

/// Messages that are matched with one another: from and to, communicator and tag.
using Ends = std::tuple<int, int, std::int32_t, std::int32_t>;
using SizesOfPairs = std::map<Ends, std::vector<std::int64_t>>;

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

std::size_t count_of(const SizesOfPairs& messages, const Ends& ends) {
  const auto found = messages.find(ends);
  return found == messages.end() ? 0 : found->second.size();
}

[[noreturn]] void throw_mismatch(const Ends& ends, const SizesOfPairs& sent, const SizesOfPairs& received) {
  const auto& [from, to, communicator, tag] = ends;
  const std::string named =
      tag == 0 && communicator == 0 ? "" : fmt::format(" with tag {} on communicator {}", tag, communicator);
  throw InputError(
      "schedule",
      fmt::format("rank {} sends {} to rank {}{}, which receives {} from it, or of "
                  "other sizes (both ends must agree)",
                  from, format_count(count_of(sent, ends), "message"), to, named, count_of(received, ends)),
      "Record it again");
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
  SizesOfPairs sent;
  SizesOfPairs received;
  for (int rank = 0; rank < ranks; ++rank) {
    const Body& body = schedule.ranks[static_cast<std::size_t>(rank)];
    for_each_post(body.operations, [&](const Post& post) {
      check_post(post, rank, ranks);
      if (!is_two_sided(post.kind)) return;
      const bool is_send = post.kind == TransferKind::send;
      const Ends ends{is_send ? rank : post.peer, is_send ? post.peer : rank, post.communicator, post.tag};
      (is_send ? sent : received)[ends].push_back(post.size_bytes * post.repeat);
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
  for (const auto& [ends, sizes] : sent) {
    const auto found = received.find(ends);
    if (found == received.end() || found->second != sizes) throw_mismatch(ends, sent, received);
  }
  for (const auto& [ends, sizes] : received) {
    if (!sent.contains(ends)) throw_mismatch(ends, sent, received);
  }
}

}  // namespace finegrain::replay
