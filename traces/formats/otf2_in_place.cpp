// SPDX-License-Identifier: MIT
#include "traces/formats/otf2_in_place.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include "traces/formats/otf2_meetings.hpp"

namespace finegrain::formats {
namespace {

using K = CollectiveKind;

enum class InPlace : std::uint8_t { no, yes, unknown };

std::int64_t sum_of(const std::vector<std::int64_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

/// Which of both readings of a record is possible.
InPlace choice_of(bool can_be_in_place, bool can_be_otherwise) {
  if (!can_be_in_place) return InPlace::no;
  return can_be_otherwise ? InPlace::unknown : InPlace::yes;
}

/// Every rank has the same size.
InPlace in_place_of_blocks(const Otf2Meeting& meeting) {
  const auto ranks = static_cast<std::int64_t>(meeting.ranks());
  const std::int64_t all = meeting.sent.front();
  const auto is_all = [all](std::int64_t bytes) { return bytes == all; };
  if (all == 0 || !std::ranges::all_of(meeting.sent, is_all) ||
      !std::ranges::all_of(meeting.received, is_all))
    return InPlace::no;
  return choice_of(all % (ranks - 1) == 0, all % ranks == 0);
}

InPlace in_place_of_allgatherv(const Otf2Meeting& meeting) {
  const auto ranks = static_cast<std::int64_t>(meeting.ranks());
  const std::int64_t sent = sum_of(meeting.sent);
  bool can_be_in_place = sent > 0;
  bool can_be_otherwise = sent > 0;
  for (std::size_t rank = 0; rank < meeting.ranks(); ++rank) {
    can_be_otherwise = can_be_otherwise && meeting.received[rank] * ranks == sent;
    can_be_in_place = can_be_in_place && meeting.sent[rank] % (ranks - 1) == 0 &&
                      meeting.received[rank] * (ranks - 1) + meeting.sent[rank] == sent;
  }
  return choice_of(can_be_in_place, can_be_otherwise);
}

InPlace in_place_of_reduce_scatter(const Otf2Meeting& meeting) {
  const auto ranks = static_cast<std::int64_t>(meeting.ranks());
  const std::int64_t received = sum_of(meeting.received);
  bool can_be_in_place = received > 0;
  bool can_be_otherwise = received > 0;
  for (std::size_t rank = 0; rank < meeting.ranks(); ++rank) {
    can_be_otherwise = can_be_otherwise && meeting.sent[rank] * ranks == received;
    can_be_in_place = can_be_in_place && meeting.received[rank] % (ranks - 1) == 0 &&
                      meeting.sent[rank] * (ranks - 1) + meeting.received[rank] == received;
  }
  return choice_of(can_be_in_place, can_be_otherwise);
}

InPlace in_place_of(const Otf2Meeting& meeting, Otf2Sizes sizes) {
  const std::size_t ranks = meeting.ranks();
  if (ranks < 2 || meeting.operations.size() < ranks) return InPlace::no;
  const auto root = static_cast<std::size_t>(meeting.root);
  const bool of_pairs = sizes == Otf2Sizes::of_pairs;
  const auto root_is = [&](const std::vector<std::int64_t>& own, const std::vector<std::int64_t>& others) {
    const bool is = root < ranks && own[root] == 0 && (of_pairs ? others[root] : std::ranges::max(own)) > 0;
    return is ? InPlace::yes : InPlace::no;
  };
  const bool is_rooted = meeting.kind == K::reduce || meeting.kind == K::gather || meeting.kind == K::scatter;
  if (!of_pairs && !is_rooted) return InPlace::no;
  switch (meeting.kind) {
    case K::allreduce:
    case K::allgather:
    case K::alltoall:
    case K::reduce_scatter_block:
      return in_place_of_blocks(meeting);
    case K::allgatherv:
      return in_place_of_allgatherv(meeting);
    case K::reduce_scatter:
      return in_place_of_reduce_scatter(meeting);
    case K::reduce:
    case K::gather:
      return root_is(meeting.sent, meeting.received);
    case K::scatter:
      return root_is(meeting.received, meeting.sent);
    case K::scan:
      return meeting.received[0] == 0 && meeting.received[1] > 0 ? InPlace::yes : InPlace::no;
    default:
      return InPlace::no;
  }
}

/// The sizes of what each rank sends or gets, in the place where they are already.
void set_parts(const Otf2Meeting& meeting, std::size_t rank, const std::vector<std::int64_t>& parts) {
  const auto first = static_cast<std::ptrdiff_t>(meeting.collective(rank).first_size);
  std::ranges::copy(parts, meeting.calls[rank]->sizes.begin() + first);
}

std::vector<std::int64_t> shares(const std::vector<std::int64_t>& bytes, std::int64_t of) {
  std::vector<std::int64_t> result;
  std::ranges::transform(bytes, std::back_inserter(result), [of](std::int64_t one) { return one / of; });
  return result;
}

void set_sizes(const Otf2Meeting& meeting) {
  const auto others = static_cast<std::int64_t>(meeting.ranks()) - 1;
  for (std::size_t rank = 0; rank < meeting.ranks(); ++rank) {
    std::int64_t& size_bytes = meeting.collective(rank).size_bytes;
    switch (meeting.kind) {
      case K::reduce:
      case K::gather:
        size_bytes = std::ranges::max(meeting.sent);
        break;
      case K::scatter:
        size_bytes = std::ranges::max(meeting.received);
        break;
      case K::scan:
        size_bytes = (meeting.sent[rank] + meeting.received[rank]) / others;
        break;
      case K::allgatherv:
        size_bytes = meeting.sent[rank] / others;
        set_parts(meeting, rank, shares(meeting.sent, others));
        break;
      case K::reduce_scatter:
        size_bytes = sum_of(meeting.received) / others;
        set_parts(meeting, rank, shares(meeting.received, others));
        break;
      default:
        size_bytes = meeting.sent[rank] / others;
    }
  }
}

/// What the records of one kind of collective say that can be read in one way only.
struct Said {
  std::int64_t in_place = 0;
  std::int64_t otherwise = 0;
};

}  // namespace

UnknownInPlace settle_in_place(std::span<RankCalls> ranks, std::span<const Communicator> communicators,
                               std::span<const std::vector<Otf2Collective>> collectives, Otf2Sizes sizes) {
  std::array<Said, collective_kinds> said{};
  bool any_in_place = false;
  for_each_meeting(ranks, communicators, collectives, [&](const Otf2Meeting& meeting) {
    Said& of_kind = said[static_cast<std::size_t>(meeting.kind)];
    const InPlace in_place = in_place_of(meeting, sizes);
    any_in_place = any_in_place || in_place == InPlace::yes;
    if (in_place == InPlace::yes) ++of_kind.in_place;
    if (in_place == InPlace::no) ++of_kind.otherwise;
  });
  UnknownInPlace unknown;
  for_each_meeting(ranks, communicators, collectives, [&](const Otf2Meeting& meeting) {
    InPlace in_place = in_place_of(meeting, sizes);
    if (in_place == InPlace::unknown) {
      const Said& of_kind = said[static_cast<std::size_t>(meeting.kind)];
      const bool is =
          of_kind.in_place != of_kind.otherwise ? of_kind.in_place > of_kind.otherwise : any_in_place;
      ++(is ? unknown.taken_in_place : unknown.taken_otherwise);
      in_place = is ? InPlace::yes : InPlace::no;
    }
    if (in_place == InPlace::yes) set_sizes(meeting);
  });
  return unknown;
}

}  // namespace finegrain::formats
