// SPDX-License-Identifier: MIT
#pragma once

#include "sim/model/spmv.hpp"

namespace finegrain {

/// T_local,indv: one access to another rank's element on the same node costs a cache line. Source: eq. (9).
double local_access_s(const Hardware& hardware);

/// The first term of eq. (10): C_local,indv accesses within the node.
double individual_local_s(const RankCounts& rank, const Hardware& hardware);

/// The second term of eq. (10): C_remote,indv accesses, each a round trip of tau.
/// @throws InputError if there are any and the platform lacks tau
double individual_remote_s(const RankCounts& rank, const Hardware& hardware);

/// UPCv1 (Listing 3): the slowest rank decides. All of it is charged to `compute`, where the listing does its
/// accesses. Source: eqs. (7), (10), (16).
Prediction predict_individual(const SpmvCase& spmv);

}  // namespace finegrain
