// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "sim/study/database.hpp"

namespace finegrain::study {

/// The most points on a page: with more, it opens slowly.
inline constexpr std::size_t most_points_of_page = 10'000;

/// What the page of a study shows (sim/report): its axes, and the points that have an answer, in seconds of
/// all iterations. If there are more than `most` points, it shows the fastest of every number of nodes, as
/// many of each as possible.
/// @throws InputError if no point has an answer, and as answered_points() does
nlohmann::json page_data(const Database& database, std::size_t most = most_points_of_page);

}  // namespace finegrain::study
