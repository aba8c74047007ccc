// SPDX-License-Identifier: MIT
#include "sim/cli/commands.hpp"

namespace finegrain {

void add_mesh_command(CLI::App& /*app*/) {}

}  // namespace finegrain
