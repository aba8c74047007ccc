// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/micro/line_fit.hpp"
#include "sim/calibration/calibration.hpp"
#include "sim/platform/size_pieces.hpp"

namespace finegrain::calibration {

/// Fits half a round trip as the replay charges it: latencies() times the latency, plus size / bandwidth.
/// There is one latency and one bandwidth for all sizes.
/// @see fit_line
micro::LineFit fit_messages(const Messages& messages);

/// How many latencies a message takes: 1 up to the eager limit; 3 above it, because the sender asks and gets
/// a reply before it sends the bytes.
double latencies(const Messages& messages, double size_bytes);

/// Messages between nodes as the platform file says them: a latency and a bandwidth, and, if one line does
/// not do, factors on both by size.
struct NetworkFit {
  micro::LineFit line;  ///< of the latency and the bandwidth; how far the whole fit is off
  std::vector<platform::LinePiece> pieces = {};  ///< without the handshakes of long messages; empty: one line
  double handshake_s = 0;                        ///< what messages above the eager limit take besides
  platform::MessageFactors factors = {};         ///< the pieces', relative to `line`
};

/// The fit has pieces if they explain the times better than one line (platform::fit_pieces), and if the
/// replay follows factors on such a network: not where connections keep an order.
/// @pre found.between_nodes
NetworkFit fit_network(const Calibration& found);

/// Half a round trip by a fit of messages between nodes.
double fitted_s(const NetworkFit& fit, const Messages& messages, double size_bytes);

/// Memory bandwidth of some ranks of a node as the replay shares it: min(ranks * one rank's, the node's). One
/// rank's bandwidth is measured with one rank alone, the node's with all ranks.
double modelled_bandwidth_bytes_per_s(const Calibration& found, int ranks);

/// The largest deviation of a fit from the measured values.
struct FitQuality {
  std::string what;            ///< "messages within a node"
  double worst_deviation = 0;  ///< (fit - measured) / measured, measured: the median
  std::string where;           ///< "at 8192 B"
};

/// The quality of each fit whose values go into the platform file.
std::vector<FitQuality> qualities(const Calibration& found);

/// @param worst_allowed  largest |deviation|, e.g. 0.5
/// @throws InputError if a fit is further off, naming how far and where, or has a latency or a bandwidth that
///         is not positive
void refuse_bad_fits(const Calibration& found, double worst_allowed);

}  // namespace finegrain::calibration
