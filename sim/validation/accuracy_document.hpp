// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/validation/comparison.hpp"
#include "traces/io/atomic_file.hpp"

namespace finegrain::validation {

/// The text of docs/accuracy.md: scores, then every table cell by cell.
/// @param more  tables that follow the scores
/// @param sections  tables at the end of the document
std::string accuracy_document(const std::vector<ComparedTable>& compared,
                              const std::vector<output::Table>& more,
                              const std::vector<output::Table>& sections);
FileKind accuracy_document_kind();

}  // namespace finegrain::validation
