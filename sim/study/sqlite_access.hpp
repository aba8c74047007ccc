// SPDX-License-Identifier: MIT
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <string>

#include "sim/output/table.hpp"

namespace finegrain::study {

/// Reports an error of SQLite. @throws InputError always; it says what to do about the error
[[noreturn]] void throw_input_error(const std::filesystem::path& path, const SQLite::Exception& error);

/// Calls a function that uses a database. @throws InputError for SQLite's errors
template <class Function>
auto in_database(const std::filesystem::path& path, const Function& function) {
  try {
    return function();
  } catch (const SQLite::Exception& error) {
    throw_input_error(path, error);
  }
}

/// Opens a database; SQLite executes nothing that the file contains, and checks each cell before it uses it.
/// @param mode  of SQLite::Database. @throws InputError if it cannot be opened
SQLite::Database opened(const std::filesystem::path& path, int mode);

/// What SQLite finds wrong with the file; empty if nothing.
std::string structural_damage(SQLite::Database& sqlite);

/// Binds the cells to the parameters of the statement, beginning with the first parameter.
void bind_cells(SQLite::Statement& statement, const std::vector<output::Cell>& cells);
output::Cell cell_of(const SQLite::Column& column);

}  // namespace finegrain::study
