// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/graph/placement_rule.hpp"
#include "sim/pattern/pattern.hpp"

namespace finegrain::python {

/// What a user gave, by the names of the command's flags, e.g. "ranks-per-node".
using Options = std::map<std::string, std::string>;

/// A pattern, and one run of it.
struct Workload {
  std::shared_ptr<const pattern::Pattern> pattern;
  Run run;
  graph::PlacementRule placement = graph::PlacementRule::block;
};

/// @throws InputError if nothing can run so, naming the flag
Workload workload_of(Options options);

}  // namespace finegrain::python
