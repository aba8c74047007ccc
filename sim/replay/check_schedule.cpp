// SPDX-License-Identifier: MIT
#include "sim/replay/check_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

using Sizes = std::vector<std::int64_t>;
using SizesOfPairs = std::map<std::pair<int, int>, Sizes>;

void check_message(const Message& message, int rank, int ranks) {
  if (message.peer < 0 || message.peer >= ranks) {
    throw InputError(
        fmt::format("schedule: rank {} has a message with rank {} (there are {} ranks). Is it replayed with "
                    "the wrong number of ranks?",
                    rank, message.peer, ranks));
  }
  if (message.size_bytes < 0 || message.repeat < 1) {
    throw InputError(
        fmt::format("schedule: rank {} has a message of {} bytes, {} times (impossible). Record it again",
                    rank, message.size_bytes, message.repeat));
  }
}

std::int64_t barriers(const Iteration& iteration) {
  return std::count_if(iteration.phases.begin(), iteration.phases.end(),
                       [](const Phase& phase) { return phase.kind == PhaseKind::barrier; });
}

/// Sends and receives have to be waited for; puts and gets if the run does not block on each.
bool waits_for_all(const Iteration& iteration, const Run& run) {
  const bool blocks_on_each = run.transfer == Transfer::two_sided || run.completion == Completion::each;
  bool open = false;
  for (const Phase& phase : iteration.phases) {
    const auto messages = iteration.messages_of(phase);
    open =
        open || std::any_of(messages.begin(), messages.end(), [&](const Message& message) {
          return message.kind == MessageKind::send || message.kind == MessageKind::receive || !blocks_on_each;
        });
    if (phase.kind == PhaseKind::wait) open = false;
  }
  return !open;
}

std::int64_t count_of(const SizesOfPairs& messages, const std::pair<int, int>& ends) {
  const auto found = messages.find(ends);
  return found == messages.end() ? 0 : static_cast<std::int64_t>(found->second.size());
}

[[noreturn]] void throw_mismatch(const std::pair<int, int>& ends, const SizesOfPairs& sent,
                                 const SizesOfPairs& received) {
  throw InputError(
      fmt::format("schedule: rank {} sends {} messages to rank {}, which receives {} from it, or of other "
                  "sizes (both ends must agree). Record it again",
                  ends.first, count_of(sent, ends), ends.second, count_of(received, ends)));
}

}  // namespace

void check_schedule(const Schedule& schedule) {
  const int ranks = schedule.run.ranks;
  if (ranks < 1 || static_cast<std::size_t>(ranks) != schedule.ranks.size()) {
    throw InputError(
        fmt::format("schedule: {} ranks, but iterations of {} (one each is needed). Is it replayed with the "
                    "wrong number of ranks?",
                    ranks, schedule.ranks.size()));
  }
  if (schedule.run.iterations < 1) {
    throw InputError(
        fmt::format("iterations: {} is not a number of iterations. Give 1 or more", schedule.run.iterations));
  }
  SizesOfPairs sent;
  SizesOfPairs received;
  for (int rank = 0; rank < ranks; ++rank) {
    const Iteration& iteration = schedule.ranks[static_cast<std::size_t>(rank)];
    for (const Message& message : iteration.messages) {
      check_message(message, rank, ranks);
      if (message.kind == MessageKind::send) {
        sent[{rank, message.peer}].push_back(message.size_bytes * message.repeat);
      } else if (message.kind == MessageKind::receive) {
        received[{message.peer, rank}].push_back(message.size_bytes * message.repeat);
      }
    }
    if (!waits_for_all(iteration, schedule.run)) {
      throw InputError(
          fmt::format("schedule: rank {} never waits for its last messages (no wait phase follows them). "
                      "Record it again",
                      rank));
    }
    if (barriers(iteration) != barriers(schedule.ranks.front())) {
      throw InputError(
          fmt::format("schedule: rank {} has {} barriers an iteration, rank 0 has {} (all ranks must meet). "
                      "Record it again",
                      rank, barriers(iteration), barriers(schedule.ranks.front())));
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

}  // namespace finegrain
