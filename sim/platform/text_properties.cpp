// SPDX-License-Identifier: MIT
#include "sim/platform/text_properties.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "sim/platform/hardware_threads.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform/power.hpp"
#include "sim/platform/size_factors.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::platform {

const std::vector<std::string_view>& text_property_names() {
  static const std::vector<std::string_view> names{"mpi",
                                                   "sockets",
                                                   "memory_domains",
                                                   "hardware_threads_per_core",
                                                   "smt_gain",
                                                   "socket_power",
                                                   "node_power",
                                                   "link_power",
                                                   "replies",
                                                   "link_queues",
                                                   "network",
                                                   "latency_factors",
                                                   "bandwidth_factors",
                                                   "routing"};
  return names;
}

std::optional<TextProperty> text_property(const PlatformDocument& document,
                                          const std::vector<std::string>& overrides, std::string_view name) {
  std::optional<TextProperty> found;
  const std::string path = fmt::format("//prop[@id='{}']", name);
  for (const pugi::xpath_node& match : document.xml().select_nodes(path.c_str())) {
    const std::string_view owner = match.node().parent().name();
    if (owner == "link" || owner == "config" || owner == "disk") continue;
    const std::string text = match.node().attribute("value").value();
    const std::string where = fmt::format("{}: {}", document.place_of(match.node()), name);
    if (found && found->text != text)
      throw InputError(where,
                       fmt::format("'{}' here, and another value at {} (all nodes of a platform are alike)",
                                   text, found->where),
                       "Keep one");
    if (!found) found = {text, where};
  }
  const std::string beginning = fmt::format("{}=", name);
  for (const std::string& text : overrides)
    if (text.starts_with(beginning)) found = {text.substr(beginning.size()), fmt::format("--set {}", name)};
  return found;
}

int parse_count(const TextProperty& property, int most) {
  int count = 0;
  const char* const end = property.text.data() + property.text.size();
  const auto [parsed, error] = std::from_chars(property.text.data(), end, count);
  if (error != std::errc() || parsed != end || count < 1 || count > most)
    throw InputError(property.where, fmt::format("'{}' is no number from 1 to {}", property.text, most),
                     "Write it like 2");
  return count;
}

std::vector<std::pair<std::string_view, std::string_view>> named_values(const TextProperty& property,
                                                                        std::string_view value,
                                                                        std::string_view example) {
  std::vector<std::pair<std::string_view, std::string_view>> named;
  std::string_view rest = property.text;
  while (true) {
    const std::string_view one = rest.substr(0, rest.find(','));
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos)
      throw InputError(property.where, fmt::format("'{}' is not of the form name={}", one, value),
                       fmt::format("Write it like {}", example));
    named.emplace_back(one.substr(0, equals), one.substr(equals + 1));
    if (one.size() == rest.size()) return named;
    rest.remove_prefix(one.size() + 1);
  }
}

std::vector<TextProperty> text_properties(const std::filesystem::path& file,
                                          const std::vector<std::string>& overrides) {
  const PlatformDocument document(file);
  read_powers(document, overrides);
  read_hardware_threads(document, overrides);
  for (const std::string_view name : {"latency_factors", "bandwidth_factors"})
    read_size_factors(document, overrides, name);
  std::vector<TextProperty> given;
  for (const std::string_view name : text_property_names())
    if (auto property = name.ends_with("_factors") ? size_factors_text(document, overrides, name)
                                                   : text_property(document, overrides, name))
      given.push_back(std::move(*property));
  return given;
}

}  // namespace finegrain::platform
