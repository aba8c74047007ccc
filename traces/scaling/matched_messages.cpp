// SPDX-License-Identifier: MIT
#include "traces/scaling/matched_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <variant>

#include "traces/io/input_error.hpp"

namespace finegrain::scaling {
namespace {

/// From, to, tag, communicator.
using Line = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;

[[noreturn]] void refuse(const Recording& recording, const std::string& what) {
  throw InputError(recording.file, what,
                   "Record it again, to its end: a typical program needs both ends of each message");
}

/// Calls visit(rank, site, operation, number of the operation among the rank's).
template <class Visit>
void for_each_operation(const Recording& recording, const Visit& visit) {
  for (std::size_t rank = 0; rank < recording.ranks.size(); ++rank) {
    const RecordedRank& own = recording.ranks[rank];
    for (const RecordedCall& call : own.calls)
      for (std::size_t o = call.first_operation; o < call.first_operation + call.operation_count; ++o)
        visit(static_cast<std::int32_t>(rank), call.site, own.operations[o], o);
  }
}

std::int64_t largest_element_in(std::int64_t bytes) {
  for (const std::int64_t element : {8, 4})
    if (bytes % element == 0) return element;
  return 1;
}

/// Bytes of a table: of what is sent, where it also has what is received; but of neighbours, of both.
double bytes_in_table(CollectiveKind kind, const std::vector<std::int64_t>& table) {
  if (is_of_neighbours(kind)) {
    constexpr std::size_t first_bytes = 3;  // after two numbers of neighbours, and the first neighbour
    double sum = 0;
    for (std::size_t at = first_bytes; at < table.size(); at += 2)
      sum += static_cast<double>(table[at]);
    return sum;
  }
  const std::ptrdiff_t end = has_two_tables(kind) ? std::ssize(table) / 2 : std::ssize(table);
  return std::accumulate(table.begin(), table.begin() + end, 0.);
}

}  // namespace

bool has_root(CollectiveKind kind) {
  using enum CollectiveKind;
  return kind == broadcast || kind == gather || kind == gatherv || kind == scatter || kind == scatterv ||
         kind == reduce;
}

bool has_two_tables(CollectiveKind kind) {
  return kind == CollectiveKind::alltoallv || kind == CollectiveKind::alltoallw;
}

bool has_table_at_root(CollectiveKind kind) {
  return kind == CollectiveKind::gatherv || kind == CollectiveKind::scatterv;
}

bool is_of_neighbours(CollectiveKind kind) {
  return kind >= CollectiveKind::neighbor_allgather;
}

MatchedMessages::MatchedMessages(const Recording& recording) : number_of_(recording.ranks.size()) {
  for (std::size_t rank = 0; rank < recording.ranks.size(); ++rank)
    number_of_[rank].assign(recording.ranks[rank].operations.size(), -1);
  match_posts(recording);
  match_collectives(recording);
}

void MatchedMessages::match_posts(const Recording& recording) {
  struct Sent {
    std::int32_t channel;
    std::int64_t repeat;
  };
  std::map<std::tuple<int, std::int32_t, std::int32_t, bool, std::int32_t>, std::int32_t> numbers;
  std::map<Line, std::vector<Sent>> sent;
  for_each_operation(
      recording, [&](std::int32_t rank, int site, const RecordedOperation& made, std::size_t o) {
        const auto* post = std::get_if<Post>(&made.operation);
        if (post == nullptr || post->kind == TransferKind::receive) return;
        const bool is_one_sided = !is_two_sided(post->kind);
        const auto [known, is_new] =
            numbers.try_emplace({site, rank, post->peer, is_one_sided, post->communicator},
                                static_cast<std::int32_t>(channels_.size()));
        if (is_new) channels_.push_back({site, rank, post->peer, is_one_sided, post->communicator});
        Channel& channel = channels_[static_cast<std::size_t>(known->second)];
        channel.messages += post->repeat;
        channel.bytes += post->repeat * post->size_bytes;
        channel.element_bytes = std::gcd(channel.element_bytes, post->size_bytes);
        number_of_[static_cast<std::size_t>(rank)][o] = known->second;
        if (!is_one_sided)
          sent[{rank, post->peer, post->tag, post->communicator}].push_back({known->second, post->repeat});
      });
  for (Channel& channel : channels_)
    channel.element_bytes = largest_element_in(channel.element_bytes);
  std::map<Line, std::size_t> received;
  for_each_operation(
      recording, [&](std::int32_t rank, int /*site*/, const RecordedOperation& made, std::size_t o) {
        const auto* post = std::get_if<Post>(&made.operation);
        if (post == nullptr || post->kind != TransferKind::receive) return;
        const Line line{post->peer, rank, post->tag, post->communicator};
        const auto sends = sent.find(line);
        const std::size_t next = received[line]++;
        if (sends == sent.end() || next >= sends->second.size() || sends->second[next].repeat != post->repeat)
          refuse(recording,
                 fmt::format("rank {} receives a message that rank {} does not send", rank, post->peer));
        number_of_[static_cast<std::size_t>(rank)][o] = sends->second[next].channel;
      });
  for (const auto& [line, sends] : sent)
    if (received[line] != sends.size())
      refuse(recording, fmt::format("rank {} sends a message that rank {} does not receive",
                                    std::get<0>(line), std::get<1>(line)));
}

void MatchedMessages::match_collectives(const Recording& recording) {
  std::map<std::int32_t, std::vector<std::int32_t>> done;  // by communicator: calls of each rank
  struct Sums {
    double bytes = 0;
    double table_bytes = 0;
    double tables = 0;
    std::int64_t ranks = 0;
  };
  std::map<std::int32_t, std::vector<Sums>> sums;
  const auto use = [&](std::int32_t number, const Members& members) {
    const auto [known, is_new] = communicators_.try_emplace(number);
    if (!is_new) return;
    if (members) {
      known->second.members = *members;
      return;
    }
    known->second.members.resize(recording.ranks.size());
    std::iota(known->second.members.begin(), known->second.members.end(), 0);
  };
  for_each_operation(
      recording, [&](std::int32_t rank, int site, const RecordedOperation& made, std::size_t o) {
        if (const auto* post = std::get_if<Post>(&made.operation)) use(post->communicator, made.members);
        if (const auto* lock = std::get_if<Lock>(&made.operation)) use(lock->window, made.members);
        const auto* collective = std::get_if<Collective>(&made.operation);
        if (collective == nullptr) return;
        use(collective->communicator, made.members);
        UsedCommunicator& used = communicators_[collective->communicator];
        std::vector<std::int32_t>& calls = done[collective->communicator];
        calls.resize(recording.ranks.size(), 0);
        const auto before = static_cast<std::size_t>(calls[static_cast<std::size_t>(rank)]++);
        number_of_[static_cast<std::size_t>(rank)][o] = static_cast<std::int32_t>(before);
        if (before >= used.calls.size()) {
          used.calls.push_back({.site = site, .kind = collective->kind, .root = collective->root});
          sums[collective->communicator].emplace_back();
        }
        if (used.calls[before].kind != collective->kind)
          refuse(recording, fmt::format("rank {} calls another collective than the others", rank));
        Sums& sum = sums[collective->communicator][before];
        sum.bytes += static_cast<double>(collective->size_bytes);
        ++sum.ranks;
        if (made.sizes.empty()) return;
        ++sum.tables;
        sum.table_bytes += bytes_in_table(collective->kind, made.sizes);
        if (has_table_at_root(collective->kind)) used.calls[before].table_at_root = made.sizes;
      });
  for (auto& [number, used] : communicators_)
    for (std::size_t c = 0; c < used.calls.size(); ++c) {
      const Sums& sum = sums[number][c];
      if (sum.ranks != std::ssize(used.members))
        refuse(recording, "some ranks of a communicator call a collective, and others do not");
      used.calls[c].bytes = sum.bytes / static_cast<double>(sum.ranks);
      if (sum.tables > 0) used.calls[c].table_bytes = sum.table_bytes / sum.tables;
    }
}

}  // namespace finegrain::scaling
