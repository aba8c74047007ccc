// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/micro/line_fit.hpp"
#include "sim/calibration/calibration.hpp"

namespace finegrain::calibration {

/// Half a round trip as the replay charges it: latencies() times the latency, and size / bandwidth. One
/// latency and one bandwidth for all sizes, which is all that a platform file can say. @see fit_line
micro::LineFit fit_messages(const Messages& messages);

/// 1 up to the eager limit; 3 above it, since there the sender asks and is permitted before the bytes go.
double latencies(const Messages& messages, double size_bytes);

/// Memory bandwidth of some ranks of a node as the replay shares it: min(ranks * one rank's, the node's).
/// One rank's is measured with one alone, the node's with all.
double modelled_bandwidth_bytes_per_s(const Calibration& found, int ranks);

/// How far one fit is from what was measured, where it is furthest.
struct FitQuality {
  std::string what;            ///< "messages within a node"
  double worst_deviation = 0;  ///< (fit - measured) / measured, measured: the median
  std::string where;           ///< "at 8192 B"
};

/// How good each fit is whose values go into the platform file.
std::vector<FitQuality> qualities(const Calibration& found);

/// @param worst_allowed  largest |deviation|, e.g. 0.5
/// @throws InputError if a fit is further off, naming how far and where, or has a latency or a bandwidth that
///         is not positive
void refuse_bad_fits(const Calibration& found, double worst_allowed);

}  // namespace finegrain::calibration
