// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace finegrain::machine {

/// What can be read of a file of /proc; it may be of a process that ends meanwhile. Never throws for that.
std::string content_of_proc_file(const std::string& file);

}  // namespace finegrain::machine
