// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/study/study_file.hpp"
#include "sim/study/toml_file.hpp"

namespace finegrain::study {

/// The names of an axis in a study file. If there are several, a file uses one of them: they stand for
/// different units or patterns.
std::vector<std::string> names_of(Axis axis);

/// Sets every axis of a study from the table [axes] of its file.
/// @throws InputError with file and line if an axis is missing, is given twice, or has an invalid value
void read_axes(const TomlFile& toml, const toml::value& axes, StudyFile& study);

}  // namespace finegrain::study
