// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/mpi/mpi_session.hpp"
#include "kernels/mpi/recorded_messages.hpp"
#include "kernels/spmv/exchange.hpp"

namespace finegrain::kernels {

/// What a rank receives and sends in each iteration.
struct Exchanges {
  Exchange incoming;
  Exchange outgoing;
};

/// Collective, the preparation step of section 4.3.1: each rank finds what it needs, and tells the owners.
Exchanges find_exchanges(RecordedMessages& messages, int rank, const SpmvInput& input, const OwnRows& own);

}  // namespace finegrain::kernels
