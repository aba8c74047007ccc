// SPDX-License-Identifier: MIT
#include "sim/study/sqlite_access.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <string>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

std::string advice(int code) {
  switch (code) {
    case SQLITE_FULL:
      return "What was finished before is kept: free space, then run the same command again";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "Another program is writing it: end that, then run the same command again";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return "Give --database in a folder that can be written";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return "Move it away, or give another --database";
    default:
      return "What was finished before is kept: mend it, then run the same command again";
  }
}

}  // namespace

void throw_input_error(const std::filesystem::path& path, const SQLite::Exception& error) {
  throw InputError(fmt::format("{}: {} (SQLite error {}). {}", path.string(), error.what(),
                               error.getExtendedErrorCode(), advice(error.getErrorCode())));
}

void bind(SQLite::Statement& statement, int place, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    statement.bind(place, *text);
  } else if (const auto* count = std::get_if<std::int64_t>(&cell)) {
    statement.bind(place, *count);
  } else if (const auto* number = std::get_if<double>(&cell)) {
    statement.bind(place, *number);
  } else {
    statement.bind(place);
  }
}

Cell cell_of(const SQLite::Column& column) {
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  if (column.isText()) return column.getString();
  return {};
}

}  // namespace finegrain
