// SPDX-License-Identifier: MIT
#include "traces/program_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "traces/io/units.hpp"

namespace finegrain {
namespace {

constexpr std::int64_t no_request = 0;  ///< what an operation that blocks has instead of one

/// What a message is known by at the rank that receives it.
struct Envelope {
  int sender;
  std::int32_t communicator;
  std::int32_t tag;
  friend bool operator==(const Envelope&, const Envelope&) = default;
};

struct EnvelopeHash {
  std::size_t operator()(const Envelope& envelope) const {
    std::uint64_t hash = static_cast<std::uint32_t>(envelope.sender);
    for (const std::int32_t part : {envelope.communicator, envelope.tag})
      hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15U;
    return hash ^ (hash >> 32U);
  }
};

/// Messages, or receives, that are alike and wait for the other side.
struct Alike {
  std::int64_t size_bytes;
  std::int64_t count;
  std::optional<std::int64_t> request;  ///< which the poster may wait for
};

/// One of both is empty.
struct Channel {
  std::deque<Alike> messages, receives;
};

struct Open {
  std::int64_t left;  ///< messages that are not matched, or 1
  Operation operation;
};

struct Rank {
  std::optional<Trace::RankReader> reader;
  std::optional<RecordedIteration> call;
  std::size_t operation = 0;  ///< the next one of the call
  bool has_begun = false;     ///< it waits in that operation
  bool is_ready = true;       ///< to go on
  std::int64_t calls = 0;
  std::int64_t requests = 0;
  std::unordered_map<std::int64_t, Open> open;  ///< by their requests
  std::unordered_map<Envelope, Channel, EnvelopeHash> channels;
  std::unordered_map<std::int32_t, std::int64_t> collectives;  ///< so far, by communicator
};

/// A collective at which not all ranks have come.
struct Meeting {
  Collective first;
  int first_rank;
  std::int64_t came = 0;
  bool root_came = false;
  std::vector<std::pair<int, std::int64_t>> waiting;  ///< ranks, and their requests
};

enum class WaitsFor : std::uint8_t { nobody, root, all };

/// What every algorithm makes a rank wait for, because it needs the others' data.
WaitsFor waits_for(const Collective& collective, bool is_root) {
  using enum CollectiveKind;
  switch (collective.kind) {
    case broadcast:
    case scatter:
    case scatterv:
      return is_root ? WaitsFor::nobody : WaitsFor::root;
    case gather:
    case gatherv:
    case reduce:
      return is_root ? WaitsFor::all : WaitsFor::nobody;
    case barrier:
    case allgather:
    case allgatherv:
    case alltoall:
    case alltoallv:
    case alltoallw:
    case allreduce:
    case reduce_scatter:
    case reduce_scatter_block:
      return WaitsFor::all;
    default:
      return WaitsFor::nobody;
  }
}

/// Whether all ranks give the same size.
bool has_one_size(CollectiveKind kind) {
  using enum CollectiveKind;
  return kind == broadcast || kind == gather || kind == scatter || kind == allgather || kind == alltoall ||
         kind == reduce || kind == allreduce || kind == reduce_scatter_block || kind == scan ||
         kind == exscan;
}

bool has_root(CollectiveKind kind) {
  using enum CollectiveKind;
  return kind == broadcast || kind == gather || kind == gatherv || kind == scatter || kind == scatterv ||
         kind == reduce;
}

bool are_alike(const Collective& a, const Collective& b) {
  return a.kind == b.kind && (!has_root(a.kind) || a.root == b.root) &&
         (!has_one_size(a.kind) || a.size_bytes == b.size_bytes);
}

std::string text_of(const Collective& collective) {
  std::string text(to_string(collective.kind));
  if (has_root(collective.kind)) text += fmt::format(" of root {}", collective.root);
  if (has_one_size(collective.kind)) text += fmt::format(", {} B", collective.size_bytes);
  return text;
}

std::string on(std::int32_t communicator) {
  return communicator == 0 ? "" : fmt::format(" on communicator {}", communicator);
}

class Execution {
 public:
  Execution(const Trace& trace, const OnRank& on_rank)
      : trace_(trace), on_rank_(on_rank), ranks_(static_cast<std::size_t>(trace.manifest().run.ranks)) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      ranks_[rank].reader.emplace(trace.rank_in_one_order(static_cast<int>(rank)));
      ready_.push_back(static_cast<int>(rank));
    }
  }

  ProgramCheck run() {
    while (!ready_.empty()) {
      const int number = ready_.front();
      ready_.pop_front();
      Rank& rank = ranks_[static_cast<std::size_t>(number)];
      rank.is_ready = false;
      while (rank.reader && step(number, rank)) {
      }
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      if (ranks_[rank].reader) add_waiting(static_cast<int>(rank), ranks_[rank]);
    return std::move(result_);
  }

 private:
  /// @returns whether the rank goes on
  bool step(int number, Rank& rank) {
    if (!rank.call || rank.operation == rank.call->body.operations.size()) {
      rank.call = rank.reader->next();
      rank.operation = 0;
      ++rank.calls;
      if (rank.call) return true;
      rank.reader.reset();
      if (on_rank_) on_rank_(++ended_, static_cast<int>(ranks_.size()));
      return false;
    }
    const Operation& operation = rank.call->body.operations[rank.operation];
    if (!std::exchange(rank.has_begun, true)) begin(number, rank, operation);
    const auto* complete = std::get_if<Complete>(&operation);
    if (complete != nullptr ? first_open(rank, *complete) != rank.open.end() : rank.open.contains(no_request))
      return false;
    rank.has_begun = false;
    ++rank.operation;
    return true;
  }

  void begin(int number, Rank& rank, const Operation& operation) {
    const std::int64_t request = makes_request(operation) ? ++rank.requests : no_request;
    if (const auto* post = std::get_if<Post>(&operation)) {
      if (post->kind == TransferKind::send) send(number, *post, request);
      if (post->kind == TransferKind::receive) receive(number, *post, request);
    } else if (const auto* collective = std::get_if<Collective>(&operation)) {
      come(number, *collective, request);
    }
  }

  void send(int number, const Post& post, std::int64_t request) {
    Rank& receiver = ranks_[static_cast<std::size_t>(post.peer)];
    Channel& channel = receiver.channels[{number, post.communicator, post.tag}];
    Alike messages{post.size_bytes, post.repeat, std::nullopt};
    if (post.is_synchronous) {
      messages.request = request;
      wait(number, request, post.repeat, post);
    }
    match(number, post.peer, post, messages, channel.receives, true);
    add(channel.messages, messages);
  }
  void receive(int number, const Post& post, std::int64_t request) {
    Channel& channel =
        ranks_[static_cast<std::size_t>(number)].channels[{post.peer, post.communicator, post.tag}];
    Alike receives{post.size_bytes, post.repeat, request};
    wait(number, request, post.repeat, post);
    match(post.peer, number, post, receives, channel.messages, false);
    add(channel.receives, receives);
  }
  static void add(std::deque<Alike>& to, const Alike& alike) {
    if (alike.count == 0) return;
    if (!to.empty() && !alike.request && !to.back().request && to.back().size_bytes == alike.size_bytes)
      to.back().count += alike.count;
    else
      to.push_back(alike);
  }
  /// What was posted with the oldest of the other side.
  void match(int sender, int receiver, const Post& post, Alike& posted, std::deque<Alike>& others,
             bool is_sent) {
    while (posted.count > 0 && !others.empty()) {
      Alike& other = others.front();
      const std::int64_t count = std::min(posted.count, other.count);
      const Alike& message = is_sent ? posted : other;
      const Alike& taken = is_sent ? other : posted;
      if (message.size_bytes > taken.size_bytes && taken.size_bytes > 0) {
        result_.long_message_count += count;
        if (result_.long_messages.size() < ProgramCheck::most_listed)
          result_.long_messages.push_back(
              {sender, receiver, post.communicator, post.tag, message.size_bytes, taken.size_bytes});
      }
      if (message.request) complete(sender, *message.request, count);
      if (taken.request) complete(receiver, *taken.request, count);
      posted.count -= count;
      other.count -= count;
      if (other.count == 0) others.pop_front();
    }
  }

  void come(int number, const Collective& collective, std::int64_t request) {
    const std::int32_t communicator = collective.communicator;
    const std::span<const std::int32_t> members =
        communicator == 0 ? std::span<const std::int32_t>() : trace_.communicator(communicator);
    const auto size = communicator == 0 ? std::ssize(ranks_) : std::ssize(members);
    const std::int64_t place = ++ranks_[static_cast<std::size_t>(number)].collectives[communicator];
    const auto [found, is_new] = meetings_.try_emplace(
        {communicator, place}, Meeting{.first = collective, .first_rank = number, .waiting = {}});
    Meeting& meeting = found->second;
    if (!is_new && !are_alike(meeting.first, collective)) {
      if (++result_.collective_count <= static_cast<std::int64_t>(ProgramCheck::most_listed))
        result_.collectives.push_back(
            {communicator, place, meeting.first_rank, text_of(meeting.first), number, text_of(collective)});
    }
    ++meeting.came;
    const bool is_root =
        (communicator == 0                       ? collective.root
         : collective.root < std::ssize(members) ? members[static_cast<std::size_t>(collective.root)]
                                                 : -1) == number;
    meeting.root_came = meeting.root_came || is_root;
    const WaitsFor waits = waits_for(collective, is_root);
    if (waits == WaitsFor::all || (waits == WaitsFor::root && !meeting.root_came)) {
      wait(number, request, 1, collective);
      meeting.waiting.emplace_back(number, request);
    }
    const bool all_came = meeting.came == size;
    if (!all_came && !is_root) return;
    // Those that wait for the root go on with it, the others when all have come.
    std::erase_if(meeting.waiting, [&](const auto& waiting) {
      const auto& open = ranks_[static_cast<std::size_t>(waiting.first)].open.at(waiting.second);
      const bool goes_on =
          all_came || waits_for(std::get<Collective>(open.operation), false) == WaitsFor::root;
      if (goes_on) complete(waiting.first, waiting.second, 1);
      return goes_on;
    });
    if (all_came) meetings_.erase(found);
  }

  void wait(int number, std::int64_t request, std::int64_t count, const Operation& operation) {
    if (count > 0)
      ranks_[static_cast<std::size_t>(number)].open.insert_or_assign(request, Open{count, operation});
  }
  void complete(int number, std::int64_t request, std::int64_t count) {
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    const auto open = rank.open.find(request);
    if ((open->second.left -= count) > 0) return;
    rank.open.erase(open);
    if (!std::exchange(rank.is_ready, true)) ready_.push_back(number);
  }

  static auto first_open(Rank& rank, const Complete& complete) -> decltype(rank.open)::iterator {
    const std::int64_t first = complete.is_all() ? 1 : rank.requests + 1 - complete.oldest;
    const std::int64_t after = complete.is_all() ? rank.requests + 1 : first + complete.count;
    if (after - first > std::ssize(rank.open))
      return std::ranges::find_if(
          rank.open, [&](const auto& open) { return open.first >= first && open.first < after; });
    for (std::int64_t request = first; request < after; ++request)
      if (const auto open = rank.open.find(request); open != rank.open.end()) return open;
    return rank.open.end();
  }

  void add_waiting(int number, Rank& rank) {
    if (++result_.waiting_count > static_cast<std::int64_t>(ProgramCheck::most_listed)) return;
    const Operation& operation = rank.call->body.operations[rank.operation];
    const auto* complete = std::get_if<Complete>(&operation);
    const auto open = complete != nullptr ? first_open(rank, *complete) : rank.open.find(no_request);
    result_.waiting.push_back({number, rank.calls, std::string(rank.call->body.regions.back().name.text()),
                               open == rank.open.end() ? "" : text_of_wait(number, open->second.operation)});
  }
  std::string text_of_wait(int number, const Operation& operation) const {
    if (const auto* post = std::get_if<Post>(&operation)) {
      const bool sends = post->kind == TransferKind::send;
      return fmt::format("{} rank {}, tag {}{}", sends ? "a receive by" : "a message from", post->peer,
                         post->tag, on(post->communicator));
    }
    const auto& collective = std::get<Collective>(operation);
    const std::int64_t place =
        ranks_[static_cast<std::size_t>(number)].collectives.at(collective.communicator);
    const auto meeting = meetings_.find({collective.communicator, place});
    return fmt::format("others at its {}{}{}", to_string(collective.kind), on(collective.communicator),
                       meeting == meetings_.end()
                           ? ""
                           : fmt::format(" ({} came)", format_count(meeting->second.came, "rank")));
  }

  const Trace& trace_;
  const OnRank& on_rank_;
  std::vector<Rank> ranks_;
  std::deque<int> ready_;
  std::map<std::pair<std::int32_t, std::int64_t>, Meeting> meetings_;  ///< by communicator and place
  ProgramCheck result_;
  int ended_ = 0;
};

}  // namespace

ProgramCheck check_program(const Trace& trace, const OnRank& on_rank) {
  return Execution(trace, on_rank).run();
}

}  // namespace finegrain
