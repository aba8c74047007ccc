// SPDX-License-Identifier: MIT
#pragma once

#include "sim/output/table.hpp"
#include "sim/study/database.hpp"

namespace finegrain::study {

/// Every point with every column, phases in columns of their own ("closed_form_pack_s", "simulated_wait_s"),
/// in order of the points. The same results give the same table, whatever the order they were computed in.
output::Table export_table(const Database& database);

}  // namespace finegrain::study
