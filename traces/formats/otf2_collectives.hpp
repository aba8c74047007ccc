// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "traces/formats/imported_trace.hpp"
#include "traces/formats/rank_calls.hpp"

namespace finegrain::formats {

/// OTF2 has, for each collective, the bytes that a rank sends and receives. Score-P counts each pair of
/// ranks: an allreduce of n ranks and 8 bytes sends 8 n. EZTrace gives the bytes of the call's own arguments.
enum class Otf2Sizes : std::uint8_t { of_pairs, of_arguments };

/// A collective of a rank in its communicator.
struct Otf2Collective {
  std::int32_t communicator = 0;
  std::size_t operation = 0;  ///< its index in RankCalls::operations
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

/// @param operation  OTF2_CollectiveOp  @param rank  in the communicator
/// @returns empty if the operation is no collective of data, such as making a communicator
std::optional<CollectiveKind> collective_kind(std::uint32_t operation);
/// OTF2_CollectiveOp; none of a neighbour collective.
std::optional<std::uint32_t> otf2_operation(CollectiveKind kind);

/// A size from a file; an impossible size counts as 0.
std::int64_t possible_bytes(std::uint64_t size);

/// Collective::size_bytes.
/// @param rank  in its communicator, of so many ranks
std::int64_t size_of(CollectiveKind kind, Otf2Sizes sizes, std::int64_t rank, std::int64_t ranks,
                     std::uint64_t sent, std::uint64_t received);

/// What a rank sends and receives, of pairs of ranks. @param sizes  the collective's
/// (Collective::first_size)
std::pair<std::uint64_t, std::uint64_t> otf2_sizes(const Collective& collective,
                                                   std::span<const std::int64_t> sizes, std::int64_t rank,
                                                   std::int64_t ranks);

/// If bytes differ from rank to rank, OTF2 has only sums. The parts of a gatherv, scatterv,
/// allgatherv and reduce_scatter come from the other ranks' records; those of an alltoallv are assumed to be
/// in proportion to what each rank sends and receives. @returns the number of these alltoallvs
std::int64_t fill_sizes(std::span<RankCalls> ranks, std::span<const Communicator> communicators,
                        std::span<const std::vector<Otf2Collective>> collectives, Otf2Sizes sizes);

/// OTF2 does not hold the size of a reduction's element. It is taken as 8, 4 or 1 bytes: the largest of these
/// of which the reduction's bytes are a multiple. @returns the number of these reductions
std::int64_t guess_element_bytes(std::span<RankCalls> ranks);

}  // namespace finegrain::formats
