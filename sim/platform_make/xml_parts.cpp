// SPDX-License-Identifier: MIT
#include "sim/platform_make/xml_parts.hpp"

#include <fmt/format.h>

#include <sstream>

namespace finegrain::platform_make {
namespace {

constexpr const char* only_for_simgrid = "1Gf";

}  // namespace

void add_comment(pugi::xml_node parent, const std::string& text) {
  parent.append_child(pugi::node_comment).set_value((" " + text + " ").c_str());
}

void set(pugi::xml_node element, const char* name, const std::string& value) {
  element.append_attribute(name).set_value(value.c_str());
}

void add_prop(pugi::xml_node owner, const char* name, const Number& number) {
  add_comment(owner, number.origin);
  pugi::xml_node prop = owner.append_child("prop");
  set(prop, "id", name);
  set(prop, "value", number.text);
}

pugi::xml_node begin_platform(pugi::xml_document& document, const std::string& sources,
                              const std::vector<std::string>& notes) {
  document.append_child(pugi::node_declaration).append_attribute("version") = "1.0";
  document.append_child(pugi::node_doctype).set_value("platform SYSTEM \"https://simgrid.org/simgrid.dtd\"");
  add_comment(document,
              fmt::format("{}{}. Each number's comment says where it is from; finegrain measured nothing.",
                          made_mark, sources));
  pugi::xml_node platform = document.append_child("platform");
  set(platform, "version", "4.1");
  for (const std::string& note : notes)
    add_comment(platform, note);
  return platform;
}

std::string finished(const pugi::xml_document& document) {
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

std::string speed_of(const Numbers& numbers) {
  const auto speed = numbers.find("speed");
  return speed == numbers.end() ? only_for_simgrid : speed->second.text;
}

std::string origin_of_speed(const Numbers& numbers) {
  const auto speed = numbers.find("speed");
  return "speed: " +
         (speed == numbers.end()
              ? std::string("nobody gave it, and SimGrid wants one. It counts for traces whose work is in "
                            "flops, and for no others")
              : speed->second.origin);
}

void add_costs(pugi::xml_node zone, const Numbers& numbers) {
  for (const char* name : {"memory_bandwidth", "memory_bandwidth_per_core", "cache_line", "local_latency",
                           "message_overhead", "eager_limit", "buffered_limit", "latency_factors",
                           "bandwidth_factors", "memory_domains", "hardware_threads_per_core"})
    if (const auto number = numbers.find(name); number != numbers.end()) add_prop(zone, name, number->second);
}

}  // namespace finegrain::platform_make
