// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/study/study_file.hpp"
#include "sim/study/toml_file.hpp"

namespace finegrain::study {

/// What a study file calls an axis. Of several names, a file uses one: they are of other units or patterns.
std::vector<std::string> names_of(Axis axis);

/// Sets every axis of a study from the table [axes] of its file.
/// @throws InputError naming file and line, if one is missing, is given twice, or holds what is no value of
/// it
void read_axes(const TomlFile& toml, const toml::value& axes, StudyFile& study);

}  // namespace finegrain::study
