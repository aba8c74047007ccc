// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/policy/policy.hpp"

namespace finegrain::tune {

/// Values of parameters that policies let a study vary, by the parameter's name: those that a user gave.
using AxisValues = std::map<std::string, std::vector<Value>>;

/// Each variant with every combination of the values of its policy's parameters that a study may vary
/// (Parameter::is_axis). Those that were given are tried; of others every word, or of a number the usual one,
/// a quarter of it and four times it (instead of 0: 0 and 1). A policy that counts on its own keeps its usual
/// numbers, because each further number takes a pass over all accesses for each layout. The usual values come
/// first, and are left out of the settings.
/// @throws InputError if a value was given and none of the policies has its parameter
std::vector<policy::Variant> with_axes(const std::vector<policy::Variant>& variants, const AxisValues& given);

/// The parameters that with_axes() leaves at their usual numbers, e.g. "window 512".
std::vector<std::string> kept_numbers(const std::vector<policy::Variant>& variants, const AxisValues& given);

/// The parameters that the variants' policies let a study vary, each once.
std::vector<pattern::Parameter> axes_of(const std::vector<policy::Variant>& variants);

/// The settings of a run for people, e.g. "copy compact"; empty if all are the usual ones.
std::string settings_text(const Settings& settings);

/// A value for people, e.g. "compact" or "512".
std::string value_text(const Value& value);

}  // namespace finegrain::tune
