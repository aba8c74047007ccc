// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace finegrain::cli {

/// Exercises for the page of finegrain explore, as docs/explore.md describes the file: {"title", "exercises":
/// [{"title", "question", "answer", "flags", "unit" and "tolerance_percent" | "choices" and "right"}]}.
/// @throws InputError with file and line
nlohmann::json read_lesson(const std::string& file);

/// finegrain's own: docs/class.md as exercises.
nlohmann::json usual_lesson();

/// Platforms that its exercises name.
std::vector<std::string> platforms_of_lesson(const nlohmann::json& lesson);

}  // namespace finegrain::cli
