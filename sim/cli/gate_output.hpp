// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/gate_findings.hpp"
#include "sim/output/table.hpp"

namespace finegrain::cli {

/// What both programs do on one number of ranks.
struct ComparedRanks {
  int ranks = 0;
  std::vector<PlatformTimes> platforms = {};
  std::vector<Finding> findings = {};
  std::string refusal = {};  ///< why nothing could be compared on so many ranks; empty: it was
};

/// What the gate says of the present program.
struct GateAnswer {
  std::string title = {};
  double threshold = 0.01;  ///< a platform may be slower by this share
  bool strict = false;      ///< any finding counts
  std::vector<ComparedRanks> compared = {};
  std::vector<std::string> notes = {};

  bool is_slower(const PlatformTimes& times) const { return times.change() > threshold; }
  std::size_t findings() const;
  bool passes() const;  ///< of all that could be compared
  bool is_whole() const;
};

/// For people: the times of each platform, then a line a finding. JSON and CSV: as tables.
void print_gate(std::ostream& out, const GateAnswer& answer, output::Format format);

/// A test for each platform and number of ranks, and with --strict one for the findings. @throws InputError
/// if it cannot be written
void write_junit(const std::string& file, const GateAnswer& answer);

}  // namespace finegrain::cli
