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

/// Those of several traces as one: tables of one name are one table, with a column that says which trace.
/// There is no page. @param traces  where they are, shape [comparisons]
Comparison together(const std::vector<std::string>& traces, std::vector<Comparison> comparisons);

}  // namespace finegrain::cli
