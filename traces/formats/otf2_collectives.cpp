// SPDX-License-Identifier: MIT
#include "traces/formats/otf2_collectives.hpp"

#include <otf2/otf2.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "traces/formats/otf2_meetings.hpp"

namespace finegrain::formats {
namespace {

using K = CollectiveKind;

constexpr std::array<std::pair<std::uint32_t, K>, 17> kinds = {
    {{OTF2_COLLECTIVE_OP_BARRIER, K::barrier},
     {OTF2_COLLECTIVE_OP_BCAST, K::broadcast},
     {OTF2_COLLECTIVE_OP_GATHER, K::gather},
     {OTF2_COLLECTIVE_OP_GATHERV, K::gatherv},
     {OTF2_COLLECTIVE_OP_SCATTER, K::scatter},
     {OTF2_COLLECTIVE_OP_SCATTERV, K::scatterv},
     {OTF2_COLLECTIVE_OP_ALLGATHER, K::allgather},
     {OTF2_COLLECTIVE_OP_ALLGATHERV, K::allgatherv},
     {OTF2_COLLECTIVE_OP_ALLTOALL, K::alltoall},
     {OTF2_COLLECTIVE_OP_ALLTOALLV, K::alltoallv},
     {OTF2_COLLECTIVE_OP_ALLTOALLW, K::alltoallw},
     {OTF2_COLLECTIVE_OP_ALLREDUCE, K::allreduce},
     {OTF2_COLLECTIVE_OP_REDUCE, K::reduce},
     {OTF2_COLLECTIVE_OP_REDUCE_SCATTER, K::reduce_scatter},
     {OTF2_COLLECTIVE_OP_SCAN, K::scan},
     {OTF2_COLLECTIVE_OP_EXSCAN, K::exscan},
     {OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, K::reduce_scatter_block}}};

/// What rank i sends to rank j, from the totals that each rank sends and receives.
std::int64_t share(std::int64_t sent, std::int64_t received, std::int64_t all_received) {
  if (all_received == 0) return 0;
  return static_cast<std::int64_t>(static_cast<long double>(sent) * static_cast<long double>(received) /
                                   static_cast<long double>(all_received));
}

std::vector<std::int64_t> parts_of(const Otf2Meeting& meeting, std::size_t rank, Otf2Sizes sizes) {
  const auto ranks = static_cast<std::int64_t>(meeting.sent.size());
  const bool is_root = static_cast<std::int64_t>(rank) == meeting.root;
  const std::int64_t pairs = sizes == Otf2Sizes::of_pairs ? ranks : 1;
  std::vector<std::int64_t> parts;
  switch (meeting.kind) {
    case K::gatherv:
      return is_root ? meeting.sent : parts;
    case K::scatterv:
      return is_root ? meeting.received : parts;
    case K::allgatherv:
      for (const std::int64_t sent : meeting.sent)
        parts.push_back(sent / pairs);
      return parts;
    case K::reduce_scatter:
      for (std::size_t other = 0; other < meeting.sent.size(); ++other)
        parts.push_back((sizes == Otf2Sizes::of_pairs ? meeting.received[other] : meeting.sent[rank]) /
                        ranks);
      return parts;
    case K::alltoallv:
    case K::alltoallw: {
      const std::int64_t all =
          std::accumulate(meeting.received.begin(), meeting.received.end(), std::int64_t{0});
      for (const std::int64_t received : meeting.received)
        parts.push_back(share(meeting.sent[rank], received, all));
      for (const std::int64_t sent : meeting.sent)
        parts.push_back(share(sent, meeting.received[rank], all));
      return parts;
    }
    default:
      return parts;
  }
}

void fill(RankCalls& calls, std::size_t operation, const std::vector<std::int64_t>& parts,
          std::size_t ranks) {
  auto& collective = std::get<Collective>(calls.operations[operation]);
  if (parts.empty()) return;
  collective.first_size = static_cast<std::int32_t>(calls.sizes.size());
  collective.size_count = static_cast<std::int32_t>(parts.size());
  calls.sizes.insert(calls.sizes.end(), parts.begin(), parts.end());
  const auto end = parts.begin() + static_cast<std::ptrdiff_t>(ranks);
  if (collective.kind == K::reduce_scatter || collective.kind == K::alltoallv ||
      collective.kind == K::alltoallw)
    collective.size_bytes = std::accumulate(parts.begin(), end, std::int64_t{0});
}

}  // namespace

std::optional<K> collective_kind(std::uint32_t operation) {
  const auto found = std::ranges::find(kinds, operation, &std::pair<std::uint32_t, K>::first);
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint32_t> otf2_operation(K kind) {
  const auto found = std::ranges::find(kinds, kind, &std::pair<std::uint32_t, K>::second);
  return found == kinds.end() ? std::nullopt : std::optional(found->first);
}

std::int64_t possible_bytes(std::uint64_t size) {
  constexpr std::uint64_t most = std::uint64_t{1} << 50;
  return size > most ? 0 : static_cast<std::int64_t>(size);
}

std::int64_t size_of(K kind, Otf2Sizes sizes, std::int64_t rank, std::int64_t ranks, std::uint64_t sent_bytes,
                     std::uint64_t received_bytes) {
  const std::int64_t sent = possible_bytes(sent_bytes);
  const std::int64_t received = possible_bytes(received_bytes);
  const bool of_pairs = sizes == Otf2Sizes::of_pairs;
  const std::int64_t pairs = of_pairs ? ranks : 1;
  switch (kind) {
    case K::barrier:
      return 0;
    case K::broadcast:
    case K::scatter:
    case K::scatterv:
      return received;
    case K::gather:
    case K::gatherv:
    case K::reduce:
      return sent;
    case K::scan:
      return of_pairs ? received / (rank + 1) : sent;
    case K::exscan:
      return !of_pairs ? sent : rank > 0 ? received / rank : ranks > 1 ? sent / (ranks - 1) : 0;
    case K::alltoallv:
    case K::alltoallw:
    case K::reduce_scatter:
      return sent;
    default:
      return sent / pairs;
  }
}

std::pair<std::uint64_t, std::uint64_t> otf2_sizes(const Collective& collective,
                                                   std::span<const std::int64_t> sizes, std::int64_t rank,
                                                   std::int64_t ranks) {
  const std::int64_t size = collective.size_bytes;
  const std::int64_t at_root = rank == collective.root ? ranks * size : 0;
  const auto sum = [&](std::size_t first, std::size_t after) {
    return std::accumulate(sizes.begin() + static_cast<std::ptrdiff_t>(std::min(first, sizes.size())),
                           sizes.begin() + static_cast<std::ptrdiff_t>(std::min(after, sizes.size())),
                           std::int64_t{0});
  };
  const auto n = static_cast<std::size_t>(ranks);
  const auto both = [](std::int64_t sent, std::int64_t received) {
    return std::pair(static_cast<std::uint64_t>(sent), static_cast<std::uint64_t>(received));
  };
  switch (collective.kind) {
    case K::barrier:
      return {0, 0};
    case K::broadcast:
    case K::scatter:
      return both(at_root, size);
    case K::gather:
    case K::reduce:
      return both(size, at_root);
    case K::gatherv:
      return both(size, sum(0, n));
    case K::scatterv:
      return both(sum(0, n), size);
    case K::allgatherv:
      return both(ranks * size, sum(0, n));
    case K::alltoallv:
    case K::alltoallw:
      return both(sum(0, n), sum(n, 2 * n));
    case K::reduce_scatter:
      return both(sum(0, n), sizes.empty() ? 0 : ranks * sizes[static_cast<std::size_t>(rank)]);
    case K::scan:
      return both((ranks - rank) * size, (rank + 1) * size);
    case K::exscan:
      return both((ranks - 1 - rank) * size, rank * size);
    default:
      return both(ranks * size, ranks * size);
  }
}

std::int64_t fill_sizes(std::span<RankCalls> ranks, std::span<const Communicator> communicators,
                        std::span<const std::vector<Otf2Collective>> collectives, Otf2Sizes sizes) {
  std::int64_t in_proportion = 0;
  for_each_meeting(ranks, communicators, collectives, [&](const Otf2Meeting& meeting) {
    for (std::size_t rank = 0; rank < meeting.operations.size(); ++rank)
      fill(*meeting.calls[rank], meeting.operations[rank], parts_of(meeting, rank, sizes), meeting.ranks());
    in_proportion += meeting.kind == K::alltoallv || meeting.kind == K::alltoallw ? 1 : 0;
  });
  return in_proportion;
}

std::int64_t guess_element_bytes(std::span<RankCalls> ranks) {
  std::int64_t guessed = 0;
  for (RankCalls& calls : ranks) {
    for (Operation& operation : calls.operations) {
      auto* const collective = std::get_if<Collective>(&operation);
      if (collective == nullptr || !is_reduction(collective->kind) || collective->size_bytes == 0) continue;
      const auto parts = std::span(calls.sizes)
                             .subspan(static_cast<std::size_t>(collective->first_size),
                                      static_cast<std::size_t>(collective->size_count));
      const auto divides = [&](std::int64_t bytes) {
        return collective->size_bytes % bytes == 0 &&
               std::ranges::all_of(parts, [bytes](std::int64_t part) { return part % bytes == 0; });
      };
      collective->element_bytes = divides(8) ? 8 : divides(4) ? 4 : 1;
      ++guessed;
    }
  }
  return guessed;
}

}  // namespace finegrain::formats
