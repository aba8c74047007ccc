// SPDX-License-Identifier: MIT
#include "sim/platform/node_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <sstream>
#include <string_view>

#include "sim/platform/platform_document.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::platform {
namespace {

constexpr const char* list_name = "node_list";
constexpr const char* ranks_name = "nodes_of_ranks";

pugi::xml_node property_named(const PlatformDocument& document, const char* name) {
  return document.xml().select_node(fmt::format("//prop[@id='{}']", name).c_str()).node();
}

/// A number from least to most. @throws InputError
int number_in_list(std::string_view text, int least, int most, const std::string& where) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < least || number > most)
    throw InputError(where, fmt::format("'{}' is not a number from {} to {}", text, least, most),
                     "Correct it");
  return number;
}

}  // namespace

std::optional<NodeList> node_list(const PlatformDocument& document) {
  const pugi::xml_node names = property_named(document, list_name);
  if (!names) return std::nullopt;
  NodeList list;
  const std::string where = document.place_of(names) + ": " + list_name;
  std::istringstream words(names.attribute("value").value());
  for (std::string word; words >> word;) {
    const std::size_t colon = word.rfind(':');
    NodeList::Named& node = list.nodes.emplace_back(NodeList::Named{word.substr(0, colon), {}});
    if (colon != std::string::npos && colon + 1 < word.size())
      node.slots = number_in_list(std::string_view(word).substr(colon + 1), 1, 1'000'000'000, where);
  }
  if (list.nodes.empty()) throw InputError(where, "it names no hosts", "Name some, or leave it out");
  const pugi::xml_node ranks = property_named(document, ranks_name);
  std::istringstream places(ranks.attribute("value").value());
  const std::string where_ranks = ranks ? document.place_of(ranks) + ": " + ranks_name : where;
  for (std::string place; places >> place;)
    list.nodes_of_ranks.push_back(
        number_in_list(place, 0, static_cast<int>(list.nodes.size()) - 1, where_ranks));
  return list;
}

std::string with_node_list(const std::filesystem::path& file, const NodeList& list) {
  PlatformDocument document(file);
  const pugi::xml_document& xml = document.xml_to_change();
  for (const pugi::xpath_node& match :
       xml.select_nodes("//prop[@id='nodes' or @id='node_list' or @id='nodes_of_ranks']"))
    match.node().parent().remove_child(match.node());
  pugi::xml_node zone = xml.select_node("/platform/*[self::zone or self::AS or self::cluster]").node();
  if (!zone) throw InputError(file.string(), "no <zone> or <cluster> (a platform needs hosts)", "Add one");
  const auto prepend = [&](const char* name, const std::string& value) {
    pugi::xml_node prop = zone.prepend_child("prop");
    prop.append_attribute("id").set_value(name);
    prop.append_attribute("value").set_value(value.c_str());
  };
  std::vector<std::string> words;
  for (const NodeList::Named& node : list.nodes)
    words.push_back(fmt::format("{}:{}", node.host, node.slots ? std::to_string(*node.slots) : ""));
  if (!list.nodes_of_ranks.empty())
    prepend(ranks_name, fmt::format("{}", fmt::join(list.nodes_of_ranks, " ")));
  prepend(list_name, fmt::format("{}", fmt::join(words, " ")));
  return document.saved();
}

}  // namespace finegrain::platform
