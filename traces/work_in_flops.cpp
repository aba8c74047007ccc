// SPDX-License-Identifier: MIT
#include "traces/work_in_flops.hpp"

#include <fmt/format.h>

namespace finegrain {
namespace {

constexpr const char* name = "work";

}  // namespace

std::pair<std::string, std::string> work_in_flops() {
  return {name, fmt::format("flops, {:g} of them written as a second", flops_of_a_second)};
}

std::optional<double> work_flops_per_s(const Manifest& manifest) {
  const auto work = manifest.environment.find(name);
  return work != manifest.environment.end() && work->second == work_in_flops().second
             ? std::optional(flops_of_a_second)
             : std::nullopt;
}

}  // namespace finegrain
