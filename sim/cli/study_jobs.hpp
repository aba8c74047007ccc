// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "sim/study/study_inputs.hpp"

namespace finegrain::cli {

/// Reads the axis jobs of a study, whose texts are those of --job.
/// @param folder  the study file's, that their files are relative to
study::JobsReader jobs_reader(const std::filesystem::path& folder);

}  // namespace finegrain::cli
