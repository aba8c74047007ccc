// SPDX-License-Identifier: MIT
#include "sim/platform/scaled_links.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <string_view>

#include "sim/platform/platform_document.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform {
namespace {

/// The places where SimGrid's DTD has a bandwidth or a latency of a link.
constexpr const char* bandwidths =
    "//link/@bandwidth | //backbone/@bandwidth | //cluster/@bw | //cluster/@bb_bw | //cabinet/@bw | "
    "//peer/@bw_in | //peer/@bw_out";
constexpr const char* latencies =
    "//link/@latency | //backbone/@latency | //cluster/@lat | //cluster/@bb_lat | //cabinet/@lat | "
    "//peer/@lat";

/// The id with a star in place of every run of digits.
std::string without_numbers(std::string_view id) {
  std::string text;
  for (const char c : id) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_digit)
      text += c;
    else if (!text.ends_with('*'))
      text += '*';
  }
  return text;
}

std::string class_of(const pugi::xpath_node& match) {
  const std::string_view element = match.parent().name();
  const std::string id = match.parent().attribute("id").value();
  if (element == "link") return fmt::format("link {}", without_numbers(id));
  if (element == "backbone") return fmt::format("backbone {}", id);
  if (std::string_view(match.attribute().name()).starts_with("bb_")) return fmt::format("backbone of {}", id);
  return fmt::format("links of {}", id);
}

double bandwidth_of(const pugi::xpath_node& match, const PlatformDocument& document) {
  return parse_bandwidth_bytes_per_s(match.attribute().value(), document.place_of(match.parent()));
}

double latency_of(const pugi::xpath_node& match, const PlatformDocument& document) {
  return parse_time_s(match.attribute().value(), document.place_of(match.parent()));
}

std::string scaled_xml(const std::filesystem::path& file, const LinkFactors& factors) {
  const PlatformDocument document(file);
  const auto is_meant = [&](const pugi::xpath_node& match) {
    return factors.links.empty() || class_of(match) == factors.links;
  };
  for (const auto& match : document.xml().select_nodes(bandwidths))
    if (is_meant(match))
      match.attribute().set_value(
          fmt::format("{}Bps", factors.bandwidth * bandwidth_of(match, document)).c_str());
  for (const auto& match : document.xml().select_nodes(latencies))
    if (is_meant(match))
      match.attribute().set_value(fmt::format("{}s", factors.latency * latency_of(match, document)).c_str());
  std::ostringstream text;
  document.xml().save(text);
  return text.str();
}

}  // namespace

std::vector<LinkClass> link_classes(const std::filesystem::path& file) {
  const PlatformDocument document(file);
  std::vector<LinkClass> classes;
  const auto find_or_add = [&](const std::string& name) -> LinkClass& {
    const auto known = std::ranges::find(classes, name, &LinkClass::name);
    return known != classes.end() ? *known : classes.emplace_back(LinkClass{name, {}, {}});
  };
  for (const auto& match : document.xml().select_nodes(bandwidths)) {
    LinkClass& links = find_or_add(class_of(match));
    if (!links.bandwidth_bytes_per_s) links.bandwidth_bytes_per_s = bandwidth_of(match, document);
  }
  for (const auto& match : document.xml().select_nodes(latencies)) {
    LinkClass& links = find_or_add(class_of(match));
    if (!links.latency_s) links.latency_s = latency_of(match, document);
  }
  return classes;
}

ScaledPlatform::ScaledPlatform(const Platform& platform, const LinkFactors& factors) : platform_(platform) {
  if (factors.bandwidth == 1 && factors.latency == 1) return;
  const std::string text = scaled_xml(platform.file, factors);
  copy_ = ::memfd_create("platform", 0);
  if (copy_ < 0 || ::write(copy_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw InputError(platform.file.string(),
                     fmt::format("no memory for a copy of it ({})", std::strerror(errno)),
                     "Use fewer processes");
  platform_.file = fmt::format("/proc/self/fd/{}", copy_);
}

ScaledPlatform::~ScaledPlatform() {
  if (copy_ >= 0) ::close(copy_);
}

}  // namespace finegrain::platform
