// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/calibration/calibration.hpp"
#include "traces/io/atomic_file.hpp"

namespace finegrain::calibration {

/// One property of the platform file, and where its value is from.
struct CalibratedProperty {
  std::string name;  ///< as docs/platforms.md has it; "lat" and "bw" are the cluster's attributes
  Measured value;    ///< in `unit`
  std::string unit;  ///< as SimGrid spells it
  std::string origin;
};

/// The properties of the platform file, in the order of the file.
std::vector<CalibratedProperty> calibrated_properties(const Calibration& found);

/// What platform_xml makes, as a file.
FileKind calibrated_platform_kind();

/// A SimGrid platform: one host, or a cluster of as many nodes as were measured, with finegrain's properties.
/// A comment gives the origin and the spread of each property.
std::string platform_xml(const Calibration& found);

}  // namespace finegrain::calibration
