// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace finegrain::machine {

/// What can be read of a file in /proc. The file may belong to a process that ends meanwhile; that does not
/// throw.
std::string content_of_proc_file(const std::string& file);

}  // namespace finegrain::machine
