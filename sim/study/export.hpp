// SPDX-License-Identifier: MIT
#pragma once

#include "sim/output/table.hpp"
#include "sim/study/database.hpp"

namespace finegrain::study {

/// Every point with every column, in the order of the points. Each phase has a column of its own
/// ("closed_form_pack_s", "simulated_wait_s"). The same results give the same table, in whatever order they
/// were computed.
output::Table export_table(const Database& database);

}  // namespace finegrain::study
