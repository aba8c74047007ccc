// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace finegrain::machine {

/// What tells this computer from others without naming it: "Intel(R) Xeon(R) ..., 32 CPUs, id
/// 0123456789abcdef". The id is a digest: of the Slurm cluster's name where there is one, so that its nodes
/// are alike, else of this host's machine-id. Where the system has neither, there is no id.
std::string machine_identity();

}  // namespace finegrain::machine
