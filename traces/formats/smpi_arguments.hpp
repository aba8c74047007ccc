// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "traces/formats/smpi_line.hpp"

namespace finegrain::formats {

/// Places of the arguments of "gather SENT RECEIVED ROOT TYPE_SENT TYPE_RECEIVED"; scatter's are the same,
/// and those of allgather and alltoall have no root. SMPI 3.32 leaves RECEIVED out where it is 0, as it is on
/// all ranks of a gather but the root if they give no receive buffer.
struct BlockPlaces {
  static constexpr std::size_t sent = 0;
  std::optional<std::size_t> received;  ///< none: 0 elements
  std::size_t root = 0;                 ///< if there is one
  std::size_t sent_type = 0;            ///< like the next one, beyond the end of a line without datatypes
  std::size_t received_type = 0;
};

/// @throws InputError about the line
BlockPlaces places_of_blocks(const SmpiLine& line, bool has_root, std::int32_t ranks);

/// Where the sizes of "gatherv SENT RECEIVED_0 ... ROOT TYPE_SENT TYPE_RECEIVED" begin: 1, or 0 if SMPI left
/// out SENT. It does so at a root that gathers in place and gives a negative count.
std::size_t place_of_gathered(const SmpiLine& line, std::int32_t rank, std::int32_t ranks);

/// Whether a reducescatter's line is of MPI_Reduce_scatter_block. SMPI 3.32 writes as many zeros for it as
/// the block has elements, and no flops.
bool is_scattered_block(const SmpiLine& line, std::int32_t ranks);

}  // namespace finegrain::formats
