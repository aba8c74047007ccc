// SPDX-License-Identifier: MIT
#include "sim/cli/recorded_where.hpp"

#include <fmt/format.h>

#include "sim/platform/platform_facts.hpp"

namespace finegrain::cli {

std::string elsewhere(const Manifest& manifest, const std::filesystem::path& platform) {
  const platform::PlatformFacts facts = platform::platform_facts(platform);
  const std::string name = platform.filename().string();
  const auto machine = manifest.environment.find("machine");
  if (machine == manifest.environment.end())
    return "no errors: the trace does not say on which machine it was recorded";
  if (facts.measured_on.empty()) {
    return fmt::format(
        "no errors: {} does not say that it was measured on the machine of the trace. If it was, add to its "
        "zone or cluster <prop id=\"measured_on\" value=\"{}\"/>",
        name, machine->second);
  }
  if (facts.measured_on != machine->second) {
    return fmt::format("no errors: {} was measured on another machine ({}) than the trace ({})", name,
                       facts.measured_on, machine->second);
  }
  if (!facts.disturbed_by.empty()) {
    return fmt::format("no errors: {} was measured while the machine was busy ({}). Calibrate again", name,
                       facts.disturbed_by);
  }
  return {};
}

bool is_measured_where(const Manifest& manifest, const std::filesystem::path& platform) {
  const auto machine = manifest.environment.find("machine");
  return machine != manifest.environment.end() &&
         platform::platform_facts(platform).measured_on == machine->second;
}

}  // namespace finegrain::cli
