// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "sim/study/database.hpp"

namespace finegrain::study {

/// A page with more points opens slowly.
inline constexpr std::size_t most_points_of_page = 10'000;

/// What the page of a study shows (sim/report): its axes and the points that have an answer, seconds of all
/// iterations. Of more than `most` points, the fastest of every number of nodes, as many of each.
/// @throws InputError if no point has an answer, or as answered_points()
nlohmann::json page_data(const Database& database, std::size_t most = most_points_of_page);

}  // namespace finegrain::study
