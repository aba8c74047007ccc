// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/spmv/exchange.hpp"
#include "kernels/upcxx/shared_array.hpp"

namespace finegrain::kernels {

/// What a rank receives and puts in each iteration.
struct PutExchanges {
  Exchange incoming;
  Exchange outgoing;
  SharedArray<double> received;  ///< shape [incoming values] on each rank
  /// Where each message of `outgoing` goes: a part of its peer's `received`. Shape [outgoing.peers]
  std::vector<upcxx::global_ptr<double>> targets;
};

/// Collective, the preparation step (section 4.3.1; Listing 6 of Paper III): each rank finds what it needs
/// and writes it where the owners can read it.
PutExchanges find_exchanges(const Session& session, const SpmvInput& input, const OwnRows& own);

}  // namespace finegrain::kernels
