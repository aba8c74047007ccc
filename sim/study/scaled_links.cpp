// SPDX-License-Identifier: MIT
#include "sim/study/scaled_links.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "sim/platform/platform_document.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::study {
namespace {

/// Where SimGrid's DTD has a bandwidth or a latency of a link.
constexpr const char* bandwidths =
    "//link/@bandwidth | //backbone/@bandwidth | //cluster/@bw | //cluster/@bb_bw | //cabinet/@bw | "
    "//peer/@bw_in | //peer/@bw_out";
constexpr const char* latencies =
    "//link/@latency | //backbone/@latency | //cluster/@lat | //cluster/@bb_lat | //cabinet/@lat | "
    "//peer/@lat";

std::string scaled_xml(const ChangedPlatform& changed) {
  const platform::PlatformDocument document(changed.platform.file);
  for (const auto& match : document.xml().select_nodes(bandwidths)) {
    const double bytes_per_s =
        parse_bandwidth_bytes_per_s(match.attribute().value(), document.place_of(match.parent()));
    match.attribute().set_value(fmt::format("{}Bps", changed.link_bandwidth_factor * bytes_per_s).c_str());
  }
  for (const auto& match : document.xml().select_nodes(latencies)) {
    const double latency_s = parse_time_s(match.attribute().value(), document.place_of(match.parent()));
    match.attribute().set_value(fmt::format("{}s", changed.link_latency_factor * latency_s).c_str());
  }
  std::ostringstream text;
  document.xml().save(text);
  return text.str();
}

}  // namespace

ScaledPlatform::ScaledPlatform(const ChangedPlatform& changed) : platform_(changed.platform) {
  if (changed.link_bandwidth_factor == 1 && changed.link_latency_factor == 1) return;
  const std::string text = scaled_xml(changed);
  copy_ = ::memfd_create("platform", 0);
  if (copy_ < 0 || ::write(copy_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw InputError("study", fmt::format("no memory for a platform file ({})", std::strerror(errno)),
                     "Use fewer processes");
  platform_.file = fmt::format("/proc/self/fd/{}", copy_);
}

ScaledPlatform::~ScaledPlatform() {
  if (copy_ >= 0) ::close(copy_);
}

}  // namespace finegrain::study
