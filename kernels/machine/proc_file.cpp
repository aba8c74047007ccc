// SPDX-License-Identifier: MIT
#include "kernels/machine/proc_file.hpp"

#include <fstream>
#include <sstream>

namespace finegrain::machine {

std::string content_of_proc_file(const std::string& file) {
  // An iterator over the buffer would throw where reading fails.
  std::ostringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  return content.str();
}

}  // namespace finegrain::machine
