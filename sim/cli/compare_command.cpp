// SPDX-License-Identifier: MIT
#include "sim/cli/commands.hpp"

namespace finegrain {

void add_compare_command(CLI::App& /*app*/) {}

}  // namespace finegrain
