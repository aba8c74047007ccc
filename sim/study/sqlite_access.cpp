// SPDX-License-Identifier: MIT
#include "sim/study/sqlite_access.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "traces/io/input_error.hpp"

namespace finegrain::study {
namespace {

constexpr int patience_ms = 60'000;  // how long to wait for another process that uses the file

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
      return "Give a database in a folder that can be written";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return "Move it away, or give another database";
    default:
      return "What was finished before is kept: mend it, then run the same command again";
  }
}

}  // namespace

void throw_input_error(const std::filesystem::path& path, const SQLite::Exception& error) {
  std::string problem = error.what();  // may quote the contents of the file
  std::ranges::replace_if(
      problem, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  throw InputError(path.string(), fmt::format("{} (SQLite error {})", problem, error.getExtendedErrorCode()),
                   fmt::format("{}", advice(error.getErrorCode())));
}

SQLite::Database opened(const std::filesystem::path& path, int mode) {
  return in_database(path, [&] {
    // No name, such as ":memory:", has another meaning.
    SQLite::Database database(std::filesystem::absolute(path).string(), mode, patience_ms);
    // SQLite must not execute anything that the file contains, and must check each cell before it uses it.
    sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    database.exec("PRAGMA cell_size_check=ON");
    return database;
  });
}

std::string structural_damage(SQLite::Database& sqlite) {
  try {
    std::string found = sqlite.execAndGet("PRAGMA integrity_check(1)").getString();
    std::ranges::replace(found, '\n', ' ');
    return found == "ok" ? "" : found;
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() != SQLITE_CORRUPT) throw;
    return error.what();
  }
}

void bind_cells(SQLite::Statement& statement, const std::vector<output::Cell>& cells) {
  int place = 0;
  for (const output::Cell& cell : cells) {
    ++place;
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
}

output::Cell cell_of(const SQLite::Column& column) {
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  if (column.isText()) return column.getString();
  return {};
}

}  // namespace finegrain::study
