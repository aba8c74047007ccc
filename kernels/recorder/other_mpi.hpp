// SPDX-License-Identifier: MIT
#pragma once

namespace finegrain::recorder {

/// Whether the program's MPI is the one whose mpi.h this library was built with. If not, says so on rank 0.
bool is_for_this_mpi();

}  // namespace finegrain::recorder
