// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"
#include "sim/replay/energy.hpp"

namespace finegrain::validation {

/// One energy of Table II (thesis, Paper I): NPB CG, class C, on a node with two sockets of eight cores. The
/// energy of the threads on both sockets is compared with that of as many threads on one socket.
struct SocketEnergy {
  std::string_view model;  ///< "MPI", "OpenMP" or "UPC"
  int threads = 0;
  replay::CountedSockets counted = replay::CountedSockets::all;  ///< in the run on one socket
  double gain = 0;  ///< how much faster both sockets are: 0.1 is 10 %. An input: the paper prints no times
  double measured = 0;  ///< both sockets' energy over one's
  double simulated = 0;
  bool is_fitted = false;
};

/// The table as printed; nothing is simulated.
std::vector<SocketEnergy> published_socket_energies();

/// The four powers of a socket (1, 2, 4 and 8 busy cores), in units of an idle socket's power, that fit the
/// cells with is_fitted best, by least squares of ln(ratio). The paper prints no watts.
/// P(k) is the power of a socket with k busy cores, I = 1 that of an idle socket, and g the gain. The ratio
/// is 2 P(k/2) / (P(k) (1 + g)), or 2 P(k/2) / ((P(k) + I) (1 + g)) if the idle socket counts.
std::vector<platform::SocketPower> fitted_powers(const std::vector<SocketEnergy>& energies);

/// Simulates both runs of each cell. Their ranks compute for times in the ratio that was measured.
/// @param platform  any that has a host; its sockets and powers are replaced
void simulate(std::vector<SocketEnergy>& energies, platform::Platform platform, int processes);

/// Root mean square of ln(computed / measured) over the cells that are not fitted.
struct SocketEnergyScore {
  std::size_t cells = 0;
  double rms = 0;
  double worst = 0;       ///< the largest of these, in magnitude
  double rms_as_mpi = 0;  ///< the same, if MPI's measured value is the prediction
  double worst_as_mpi = 0;
};
SocketEnergyScore score_of(const std::vector<SocketEnergy>& energies);

output::Table socket_energies_as_table(const std::vector<SocketEnergy>& energies);

}  // namespace finegrain::validation
