// SPDX-License-Identifier: MIT
#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform_make/number.hpp"

// What all made platform files have.

namespace finegrain::platform_make {

inline constexpr std::string_view made_mark = "Made by finegrain platform make from ";

void add_comment(pugi::xml_node parent, const std::string& text);
void set(pugi::xml_node element, const char* name, const std::string& value);
/// A <prop> after a comment that says where the number is from.
void add_prop(pugi::xml_node owner, const char* name, const Number& number);

/// The platform's element, after the declaration and the first comment.
/// @param notes  comments, what counts otherwise than the sources say
pugi::xml_node begin_platform(pugi::xml_document& document, const std::string& sources,
                              const std::vector<std::string>& notes);
std::string finished(const pugi::xml_document& document);

/// A core's. SimGrid wants one where nobody gave it.
std::string speed_of(const Numbers& numbers);
std::string origin_of_speed(const Numbers& numbers);

/// The costs that are the same for all nodes.
void add_costs(pugi::xml_node zone, const Numbers& numbers);

}  // namespace finegrain::platform_make
