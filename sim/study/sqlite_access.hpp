// SPDX-License-Identifier: MIT
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>

#include "sim/output/table.hpp"

namespace finegrain::study {

/// @throws InputError with what to do about it
[[noreturn]] void throw_input_error(const std::filesystem::path& path, const SQLite::Exception& error);

/// Runs what uses a database. @throws InputError for SQLite's errors
template <class Function>
auto in_database(const std::filesystem::path& path, const Function& function) {
  try {
    return function();
  } catch (const SQLite::Exception& error) {
    throw_input_error(path, error);
  }
}

/// Binds the cells to the statement's places, from the first.
void bind_cells(SQLite::Statement& statement, const std::vector<output::Cell>& cells);
output::Cell cell_of(const SQLite::Column& column);

}  // namespace finegrain::study
