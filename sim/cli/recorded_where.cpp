// SPDX-License-Identifier: MIT
#include "sim/cli/recorded_where.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "sim/calibration/quietness.hpp"
#include "sim/platform/platform_facts.hpp"
#include "traces/waited_for_cores.hpp"

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

std::string disturbed(const Manifest& manifest, const Measurement& measured) {
  constexpr double most_waited_percent = 100 * calibration::most_others_share;
  const char* const remedy = "Record it again when nothing else runs";
  if (const auto text = manifest.environment.find(waited_for_cores); text != manifest.environment.end()) {
    const double percent = std::strtod(text->second.c_str(), nullptr);
    if (percent > most_waited_percent)
      return fmt::format(
          "no errors: while it was recorded, a rank waited for a core for {:.0f} % of its time (at most "
          "{:.0f} % are "
          "accepted). {}",
          percent, most_waited_percent, remedy);
  }
  if (measured.iteration_s <= 0) return {};
  const double spread = (measured.iteration_high_s - measured.iteration_low_s) / measured.iteration_s;
  if (spread > calibration::most_spread)
    return fmt::format(
        "no errors: its iterations, whose work is equal, lie {:.0f} % apart, first to last decile (at most "
        "{:.0f} % "
        "are accepted). {}",
        100 * spread, 100 * calibration::most_spread, remedy);
  return {};
}

bool is_measured_where(const Manifest& manifest, const std::filesystem::path& platform) {
  const auto machine = manifest.environment.find("machine");
  return machine != manifest.environment.end() &&
         platform::platform_facts(platform).measured_on == machine->second;
}

}  // namespace finegrain::cli
