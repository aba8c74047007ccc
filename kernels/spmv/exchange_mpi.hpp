// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/mpi/mpi_session.hpp"
#include "kernels/mpi/recorded_messages.hpp"
#include "kernels/spmv/exchange.hpp"

namespace CLI {
class App;
}

namespace finegrain::kernels {

/// Adds --copy: "full" or "compact".
void add_copy_option(CLI::App& app, std::string& copy);

/// Adds --preparation, which no copy goes with.
void add_preparation_option(CLI::App& app, bool& prepares);

/// What a rank receives and sends in each iteration.
struct Exchanges {
  Exchange incoming;
  Exchange outgoing;
};

/// Collective, the preparation step of section 4.3.1: each rank finds what it needs, and tells the owners.
Exchanges find_exchanges(RecordedMessages& messages, int rank, const SpmvInput& input, const OwnRows& own);

}  // namespace finegrain::kernels
