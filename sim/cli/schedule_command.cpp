// SPDX-License-Identifier: MIT
#include "sim/cli/commands.hpp"

namespace finegrain {

void add_schedule_command(CLI::App& /*app*/) {}

}  // namespace finegrain
