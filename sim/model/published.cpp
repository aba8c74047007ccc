// SPDX-License-Identifier: MIT
#include "sim/model/published.hpp"

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <cassert>
#include <string>

namespace finegrain::model {
namespace {

std::vector<std::string> split(std::string_view text, const char* separators) {
  std::vector<std::string> parts;
  return boost::split(parts, text, boost::is_any_of(separators));
}

PublishedTime time_of(const NumberTable& table, std::size_t row, const std::string& part) {
  return {table.at(row, part + "_actual_s"), table.at(row, part + "_predicted_s")};
}

}  // namespace

double NumberTable::at(std::size_t row, std::string_view column) const {
  const auto found = std::ranges::find(columns, column);
  assert(found != columns.end());
  return rows[row][static_cast<std::size_t>(found - columns.begin())];
}

NumberTable published_table(std::string_view name) {
  const TextTable text = published_text(name);
  NumberTable table{text.columns, {}};
  for (const std::vector<std::string>& cells : text.rows) {
    std::vector<double>& row = table.rows.emplace_back();
    std::ranges::transform(cells, std::back_inserter(row),
                           [](const std::string& cell) { return std::stod(cell); });
  }
  return table;
}

const std::string& TextTable::at(std::size_t row, std::string_view column) const {
  const auto found = std::ranges::find(columns, column);
  assert(found != columns.end());
  return rows[row][static_cast<std::size_t>(found - columns.begin())];
}

std::optional<double> TextTable::number_at(std::size_t row, std::string_view column) const {
  const std::string& cell = at(row, column);
  if (cell.empty()) return std::nullopt;
  return std::stod(cell);
}

/// A line that begins with `#` is a comment.
TextTable published_text(std::string_view name) {
  TextTable table;
  for (const std::string& line : split(published_csv(name), "\n")) {
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string> cells = split(line, ",");
    if (table.columns.empty()) {
      table.columns = std::move(cells);
    } else {
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

std::vector<PublishedSpmv> published_spmv() {
  const NumberTable table = published_table("spmv_abel_predicted");
  std::vector<PublishedSpmv> result;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    result.push_back({.ranks = static_cast<int>(table.at(row, "threads")),
                      .block_size = static_cast<std::int64_t>(table.at(row, "blocksize")),
                      .individual = time_of(table, row, "v1"),
                      .block = time_of(table, row, "v2"),
                      .condensed = time_of(table, row, "v3")});
  }
  return result;
}

std::vector<PublishedHeat> published_heat() {
  const NumberTable table = published_table("heat_abel");
  std::vector<PublishedHeat> result;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto mesh = static_cast<std::int64_t>(table.at(row, "mesh"));
    result.push_back({.problem = {.rows = mesh,
                                  .columns = mesh,
                                  .mprocs = static_cast<int>(table.at(row, "mprocs")),
                                  .nprocs = static_cast<int>(table.at(row, "nprocs"))},
                      .halo = time_of(table, row, "halo"),
                      .compute = time_of(table, row, "comp")});
  }
  return result;
}

platform::PlatformCosts published_abel() {
  constexpr double bandwidth_bytes_per_s = 75.0 * 1000 * (1 << 20);
  platform::PlatformCosts costs;
  costs.memory_bandwidth_bytes_per_s = bandwidth_bytes_per_s;
  // The paper prints no bandwidth of a single core; with 16 ranks a node, only the node's bandwidth limits
  // them.
  costs.memory_bandwidth_per_core_bytes_per_s = bandwidth_bytes_per_s;
  costs.cache_line_bytes = 64;
  costs.tau_s = 3.4e-6;
  costs.remote_bandwidth_bytes_per_s = 6.0 * (1 << 30);
  return costs;
}

}  // namespace finegrain::model
