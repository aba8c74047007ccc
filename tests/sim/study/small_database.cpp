// SPDX-License-Identifier: MIT
#include "tests/sim/study/small_database.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include "sim/policy/policy.hpp"
#include "sim/study/sqlite_access.hpp"
#include "sim/study/study_row.hpp"

namespace finegrain::test {

std::vector<std::vector<output::Cell>> rows_of(std::int64_t points) {
  std::vector<std::vector<output::Cell>> rows;
  for (std::int64_t point = 0; point < points; ++point) {
    std::vector<output::Cell>& row = rows.emplace_back(std::vector<output::Cell>{
        point, std::string("spmv"), std::string("m.fgm"), std::string("d1"), std::string("condensed"),
        std::string("put"), std::string("each"), std::int64_t{4}, std::int64_t{2}, std::int64_t{2},
        std::int64_t{0}, std::string("block"), std::int64_t{1}});
    for (const pattern::Parameter& parameter : policy::all_parameters()) {
      row.emplace_back();
      if (parameter.name == "blocksize") row.back() = std::int64_t{10};
    }
    row.emplace_back(std::int64_t{5});
    row.resize(row.size() + 6);  // collective to ranks_per_socket
    row.emplace_back(std::string("abel"));
    row.emplace_back(std::string("d2"));
    row.resize(row.size() + 2);
    if (point == 1) row.back() = std::string("too large");
  }
  return rows;
}

study::StudyIdentity identity(const std::string& digest, study::Shard shard) {
  return {"study.toml", digest, 4, shard};
}

void correct_digests(const std::filesystem::path& path) {
  SQLite::Database sqlite(path, SQLite::OPEN_READWRITE);
  if (sqlite.execAndGet("SELECT group_concat(type || name) FROM sqlite_master").getString() !=
      "tablestudy,tablepoints")
    return;
  const auto cells_of = [](SQLite::Statement& select) {  // without the digest behind them
    std::vector<output::Cell> cells;
    for (int column = 0; column + 1 < select.getColumnCount(); ++column)
      cells.push_back(study::cell_of(select.getColumn(column)));
    return cells;
  };
  std::int64_t together = 0;
  SQLite::Statement points(sqlite, "SELECT * FROM points");
  SQLite::Statement update(sqlite, "UPDATE points SET row_digest=? WHERE point=?");
  std::vector<std::vector<output::Cell>> changes;
  while (points.executeStep()) {
    const std::vector<output::Cell> cells = cells_of(points);
    together ^= study::digest_of(cells);
    changes.push_back({study::digest_of(cells), cells.front()});
  }
  for (const std::vector<output::Cell>& change : changes) {
    study::bind_cells(update, change);
    update.exec();
    update.reset();
  }
  SQLite::Statement study(sqlite, "SELECT * FROM study");
  if (!study.executeStep()) return;
  std::vector<output::Cell> cells = cells_of(study);
  study.reset();
  cells.back() = together;
  SQLite::Statement both(sqlite, "UPDATE study SET rows_digest=?, row_digest=?");
  study::bind_cells(both, {together, study::digest_of(cells)});
  both.exec();
}

}  // namespace finegrain::test
