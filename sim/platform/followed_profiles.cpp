// SPDX-License-Identifier: MIT
#include "sim/platform/followed_profiles.hpp"

#include <fmt/format.h>

#include <string>

#include "sim/platform/platform_document.hpp"
#include "sim/platform/profile.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::platform {

void check_all_are_followed(const std::filesystem::path& file) {
  const PlatformDocument document(file);
  for (const pugi::xpath_node& match : document.xml().select_nodes("//trace_connect")) {
    const pugi::xml_node connect = match.node();
    const std::string kind = kind_of_profile(connect);
    if (kind == "BANDWIDTH" || kind == "LATENCY" || kind == "SPEED") continue;
    throw InputError(document.place_of(connect),
                     fmt::format("<trace_connect kind=\"{}\" element=\"{}\"> (profiles of bandwidths, "
                                 "latencies and speeds are followed, those of states are not)",
                                 kind, connect.attribute("element").value()),
                     "Leave it out");
  }
}

}  // namespace finegrain::platform
