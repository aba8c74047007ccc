// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sim/output/table.hpp"
#include "sim/study/database.hpp"

namespace finegrain::study {

/// The fastest points of a study, for people: those simulated, then the others by their closed form; of
/// equals the first. Of the inputs, those in which points differ.
output::Table fastest_points(const Database& database, std::size_t most);

}  // namespace finegrain::study
