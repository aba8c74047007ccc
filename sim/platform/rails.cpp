// SPDX-License-Identifier: MIT
#include "sim/platform/rails.hpp"

#include <fmt/format.h>

#include "sim/platform/node_list.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform/text_properties.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::platform {

RailChoice parse_rail_choice(const std::string& text, const std::string& where) {
  if (text == "round_robin") return RailChoice::round_robin;
  if (text == "blocks") return RailChoice::blocks;
  if (text == "pairs") return RailChoice::pairs;
  throw InputError(where, fmt::format("'{}' chooses no rail", text),
                   "Known are round_robin, blocks and pairs");
}

Rails read_rails(const PlatformDocument& document) {
  Rails rails;
  if (const auto choice = text_property(document, {}, "rail_choice"))
    rails.choice = parse_rail_choice(choice->text, choice->where);
  const auto count = text_property(document, {}, "rails");
  if (!count) return rails;
  rails.count = parse_count(*count, most_rails);
  rails.where = count->where;
  if (rails.count > 1 && !text_property(document, {}, "nodes") && !node_list(document))
    throw InputError(rails.where, "there is no property nodes, so adapters would count as nodes",
                     "Add <prop id=\"nodes\" value=\"...\"/>");
  return rails;
}

std::string rail_host(const std::string& node, int rail) {
  return rail == 0 ? node : fmt::format("~rail{}~{}", rail, node);
}

bool is_further_adapter(std::string_view host, const Rails& rails) {
  for (int rail = 1; rail < rails.count; ++rail)
    if (host.starts_with(rail_host("", rail))) return true;
  return false;
}

}  // namespace finegrain::platform
