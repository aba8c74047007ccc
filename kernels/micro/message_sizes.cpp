// SPDX-License-Identifier: MIT
#include "kernels/micro/message_sizes.hpp"

#include <fmt/format.h>

#include <set>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::micro {

std::vector<int> parse_message_sizes(const std::vector<std::string>& sizes) {
  constexpr double most_bytes = 1 << 30;
  std::set<int> found;
  for (const std::string& size : sizes) {
    const double bytes = parse_size_bytes(size, "--messages");
    if (bytes < 1 || bytes > most_bytes)
      throw InputError("--messages", fmt::format("{} is not the size of a message", size), "Give 1B to 1GiB");
    found.insert(static_cast<int>(bytes));
  }
  if (found.size() < 2)
    throw InputError("--messages", "latency and bandwidth are fitted to two sizes or more",
                     "Give the smallest, and those that your code sends, e.g. 8B,64KiB,512KiB");
  return {found.begin(), found.end()};
}

}  // namespace finegrain::micro
