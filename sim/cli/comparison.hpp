// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/output/table.hpp"

namespace finegrain::cli {

/// What compare says.
struct Comparison {
  std::vector<output::Table> tables;
  std::string page = {};  ///< what the report's page says of the same answers, as JSON; empty: there is none
};

}  // namespace finegrain::cli
