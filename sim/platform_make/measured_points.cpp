// SPDX-License-Identifier: MIT
#include "sim/platform_make/measured_points.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <pugixml.hpp>
#include <string_view>

#include "sim/platform/platform_document.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"
#include "traces/io/printable.hpp"

namespace finegrain::platform_make {
namespace {

constexpr const char* known_benchmarks =
    "Give the output of osu_latency, osu_bw or IMB-MPI1 PingPong, or a file of finegrain calibrate";

/// A table of which the first column has sizes.
struct BenchmarkTable {
  std::string_view title;
  std::size_t column;  ///< the values'
  double unit;         ///< a value's, in seconds or bytes a second
  std::vector<MeasuredPoint> MeasuredPoints::*points;
};

constexpr std::array<BenchmarkTable, 3> benchmark_tables{
    {{"Latency Test", 1, 1e-6, &MeasuredPoints::latencies_s},
     {"Bandwidth Test", 1, 1e6, &MeasuredPoints::bandwidths_bytes_per_s},
     {"Benchmarking PingPong", 2, 1e-6, &MeasuredPoints::latencies_s}}};

std::vector<double> numbers_in_row(std::string_view line) {
  std::vector<double> numbers;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    double number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc()) return numbers;
    numbers.push_back(number);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (!line.empty() && std::string_view(" \t\r").find(line.front()) == std::string_view::npos) return {};
  }
}

/// "# OSU MPI Latency Test v7.3", "# OSU MPI-CUDA Latency Test", "# Benchmarking PingPong". None: the line
/// has no title, or that of another of IMB's benchmarks. @throws InputError: it is another one of OSU's
const BenchmarkTable* table_of_title(std::string_view line, const std::string& where) {
  line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  const bool is_of_osu = line.starts_with("OSU ") && line.find(" Test") != std::string_view::npos;
  if (is_of_osu && line.starts_with("OSU MPI"))
    line.remove_prefix(std::min(line.find(' ', 4) + 1, line.size()));
  const auto table = std::ranges::find_if(benchmark_tables, [&](const BenchmarkTable& one) {
    return is_of_osu ? line.starts_with(one.title) : line == one.title;
  });
  if (table != benchmark_tables.end()) return &*table;
  if (is_of_osu)
    throw InputError(where,
                     fmt::format("'{}' says nothing of one message between two nodes", printable(line)),
                     known_benchmarks);
  return nullptr;
}

/// A row of the table, whose sizes ascend.
void add_row(const BenchmarkTable& table, std::string_view line, const std::string& where,
             std::vector<MeasuredPoint>& points) {
  const std::vector<double> row = numbers_in_row(line);
  if (row.size() <= table.column)
    throw InputError(where, fmt::format("'{}' is not a line of the table", printable(line.substr(0, 60))),
                     known_benchmarks);
  const double size = row.front();
  const double value = row[table.column] * table.unit;
  if (!(size >= 0) || !(value >= 0) || size > 1e15 || value > 1e15)
    throw InputError(where, "the size or the value is out of range", known_benchmarks);
  if (!points.empty() && size <= points.back().size_bytes)
    throw InputError(where,
                     fmt::format("the size {:.0f} does not follow {:.0f}", size, points.back().size_bytes),
                     "Give one run of one benchmark in each file");
  if (value > 0) points.push_back({size, value, where});
}

/// @returns whether it has a table
bool read_tables(std::string_view text, const std::string& file, MeasuredPoints& points) {
  const BenchmarkTable* table = nullptr;
  bool is_found = false;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string where = fmt::format("{}:{}", file, ++number);
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (line.empty()) continue;
    if (line.starts_with('#')) {
      if (const BenchmarkTable* next = table_of_title(line, where)) {
        if (!(points.*(next->points)).empty())
          throw InputError(where, "it is a second table of this kind", "Give one of each");
        table = next;
        is_found = true;
      } else if (line.find("Benchmarking") != std::string_view::npos) {
        table = nullptr;  // IMB's next benchmark
      }
    } else if (table != nullptr && line.find_first_of("0123456789") == 0) {
      add_row(*table, line, where, points.*(table->points));
    }
  }
  return is_found;
}

/// What a calibrated platform says, and by which name it goes into another.
struct CalibratedNumber {
  const char* there;
  const char* here;
};
constexpr std::array<CalibratedNumber, 10> calibrated_numbers{
    {{"memory_bandwidth", "memory_bandwidth"},
     {"memory_bandwidth_per_core", "memory_bandwidth_per_core"},
     {"local_latency", "local_latency"},
     {"message_overhead", "message_overhead"},
     {"eager_limit", "eager_limit"},
     {"buffered_limit", "buffered_limit"},
     {"latency_factors", "latency_factors"},
     {"bandwidth_factors", "bandwidth_factors"},
     {"lat", "link_latency"},
     {"bw", "link_bandwidth"}}};

/// Says what was measured and is not taken: `lat` and `bw` have what these say, and the others are of one
/// network.
std::string note_of_others(const pugi::xml_node& zone, const std::string& where) {
  std::vector<std::string> others;
  for (const pugi::xml_node& prop : zone.children("prop")) {
    const std::string_view name = prop.attribute("id").value();
    const bool is_derived = name == "tau" || name == "remote_bandwidth" || name.starts_with("measured");
    const bool is_known =
        std::ranges::any_of(calibrated_numbers, [&](const auto& one) { return one.there == name; });
    if (!is_known && !is_derived) others.push_back(printable(name));
  }
  return others.empty() ? std::string() : fmt::format("{}: not taken: {}", where, fmt::join(others, ", "));
}

void read_calibrated(const std::filesystem::path& file, MeasuredPoints& points) {
  const platform::PlatformDocument document(file);
  const pugi::xml_node zone = document.xml().document_element().child("cluster")
                                  ? document.xml().document_element().child("cluster")
                                  : document.xml().document_element().child("zone");
  if (!zone) throw InputError(file.string(), "there is no cluster and no zone in it", known_benchmarks);
  for (const CalibratedNumber& number : calibrated_numbers) {
    const pugi::xml_node prop = zone.find_child_by_attribute("prop", "id", number.there);
    const pugi::xml_attribute attribute = zone.attribute(number.there);
    if (!prop && !attribute) continue;
    const std::string where = document.place_of(prop ? prop : zone);
    const auto [place, is_new] = points.numbers.emplace(
        number.here, Number{prop ? prop.attribute("value").value() : attribute.value(),
                            fmt::format("{}: {} of a calibrated machine", where, number.there)});
    if (!is_new)
      throw InputError(where, fmt::format("gives {} a second time", number.there),
                       "Give one calibrated machine");
  }
  if (const std::string note = note_of_others(zone, document.place_of(zone)); !note.empty())
    points.notes.push_back(note);
}

}  // namespace

void add_measured_file(const std::filesystem::path& file, MeasuredPoints& points) {
  const MappedFile mapped(file);
  const std::string_view text(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size());
  if (text.starts_with('<')) return read_calibrated(file, points);
  if (!read_tables(text, file.string(), points))
    throw InputError(file.string(), "no benchmark's title is in it, such as '# OSU MPI Latency Test'",
                     known_benchmarks);
}

}  // namespace finegrain::platform_make
