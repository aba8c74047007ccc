// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "kernels/spmv/exchange.hpp"
#include "kernels/upcxx/recorded_transfers.hpp"
#include "kernels/upcxx/shared_array.hpp"

namespace finegrain::kernels {

/// What one rank needs of another: a part of its list of elements.
struct Need {
  std::int64_t first;
  std::int64_t count;
};

/// What a rank receives and puts in each iteration.
struct PutExchanges {
  Exchange incoming;
  Exchange outgoing;
  std::optional<SharedArray<double>> received;  ///< shape [incoming values] on each rank
  /// Where each message of `outgoing` goes: a part of its peer's `received`. Shape [outgoing.peers]
  std::vector<upcxx::global_ptr<double>> targets;
  // What the owners read: for each owner its part of `elements`, and the elements themselves.
  std::optional<SharedArray<Need>> needs;             ///< shape [ranks] on each rank
  std::optional<SharedArray<std::int32_t>> elements;  ///< shape [incoming values] on each rank
};

/// Collective, the preparation step (section 4.3.1; Listing 6 of Paper III): each rank finds what it needs
/// and writes it where the owners can read it.
/// @param exchanges  those of the same rows from an earlier call, or empty: then the shared arrays are made,
/// which is not recorded
void find_exchanges(const Session& session, RecordedTransfers& transfers, const SpmvInput& input,
                    const OwnRows& own, PutExchanges& exchanges);

}  // namespace finegrain::kernels
