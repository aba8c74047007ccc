// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "kernels/run/node_layout.hpp"

namespace finegrain::kernels {

/// What a recording's times depend on besides the problem: "cpu", "cores", "machine", "mpi" or "upcxx",
/// "compiler", "finegrain", "pinning", ...
std::map<std::string, std::string> environment(const Session& session, const NodeLayout& layout);

/// Now, in UTC, ISO 8601: "2024-01-31T12:00:00Z".
std::string utc_now();

}  // namespace finegrain::kernels
