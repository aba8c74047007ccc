// SPDX-License-Identifier: MIT
//
// The MPI calls in which SMPI does not do what the programs count on; these replace SMPI's.
#include <mpi.h>

#include "kernels/smpi/node_costs.hpp"

extern "C" {

/// SMPI itself grants no threads. Here they are granted: simulated ranks are contexts of one thread and
/// switch only in MPI calls, which the programs make from no other thread.
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  *provided = required;
  return PMPI_Init(argc, argv);
}

/// Adds what a message costs the rank that starts it: within a node a copy, which loads and stores (the
/// factor of 2 of eqs. (11) and (13), Lagravière et al. 2019), to another node the platform's overhead.
int MPI_Isend(const void* data, int values, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  if (finegrain::kernels::is_on_this_node(peer)) {
    int value_bytes = 0;
    PMPI_Type_size(type, &value_bytes);
    finegrain::kernels::move_over_memory(2.0 * values * value_bytes);
  } else {
    finegrain::kernels::advance_clock_by_overhead();
  }
  return PMPI_Isend(data, values, type, peer, tag, comm, request);
}

}  // extern "C"
