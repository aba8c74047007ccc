// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace finegrain {

/// A list of hosts as Slurm writes it: "node[001-003,7],login" are node001, node002, node003, node7 and
/// login.
/// @param where  for errors. @throws InputError
std::vector<std::string> names_in_hostlist(std::string_view text, const std::string& where);

}  // namespace finegrain
