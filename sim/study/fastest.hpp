// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sim/output/table.hpp"
#include "sim/study/database.hpp"

namespace finegrain::study {

/// The fastest points of a study, at most `most`, as a table for people. The simulated points come first,
/// then the others, ordered by their closed form. It has only the inputs in which points differ.
output::Table fastest_points(const Database& database, std::size_t most);

}  // namespace finegrain::study
