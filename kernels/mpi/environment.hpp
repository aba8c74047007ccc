// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "kernels/mpi/node_layout.hpp"

namespace finegrain {

/// What a recording's times depend on besides the problem: "cpu", "cores", "mpi", "compiler", "finegrain",
/// "pinning", ...
std::map<std::string, std::string> environment(const NodeLayout& layout);

/// Now, in UTC, ISO 8601: "2024-01-31T12:00:00Z".
std::string utc_now();

}  // namespace finegrain
