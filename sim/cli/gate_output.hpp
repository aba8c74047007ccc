// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/gate_findings.hpp"
#include "sim/output/table.hpp"

namespace finegrain::cli {

/// What the gate says of the present program.
struct GateAnswer {
  std::string title = {};
  double threshold = 0.01;  ///< a platform may be slower by this share
  bool strict = false;      ///< any finding counts
  std::vector<PlatformTimes> platforms = {};
  std::vector<Finding> findings = {};
  std::vector<std::string> notes = {};

  bool is_slower(const PlatformTimes& times) const { return times.change() > threshold; }
  bool passes() const;
};

/// For people: the times of each platform, then a line a finding. JSON and CSV: as tables.
void print_gate(std::ostream& out, const GateAnswer& answer, output::Format format);

/// A test for each platform, and with --strict one for the findings. @throws InputError if it cannot be
/// written
void write_junit(const std::string& file, const GateAnswer& answer);

}  // namespace finegrain::cli
