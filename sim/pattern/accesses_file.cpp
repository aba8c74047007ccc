// SPDX-License-Identifier: MIT
#include "sim/pattern/accesses_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "kernels/problem/text_reader.hpp"
#include "traces/io/units.hpp"

namespace finegrain::pattern {
namespace {

/// A whole number from `least` to `most`.
std::int64_t number(problem::TextReader& text, const char* what, std::int64_t least, std::int64_t most) {
  const std::int64_t value = text.integer(what);
  if (value < least || value > most)
    text.fail(fmt::format("the {} is {} ({} to {} is possible)", what, value, least, most));
  return value;
}

std::int32_t small_number(problem::TextReader& text, const char* what, std::int64_t least,
                          std::int64_t most) {
  return static_cast<std::int32_t>(number(text, what, least, most));
}

bool read_kind(problem::TextReader& text) {
  const std::string_view word = text.word();
  if (word == "read") return false;
  if (word == "write") return true;
  text.fail("the access is neither read nor write");
}

}  // namespace

AccessesSummary read_accesses(const std::filesystem::path& file,
                              const std::function<void(const AddressedAccess&)>& visit) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
  constexpr std::int64_t most_address = std::int64_t{1} << 50;
  problem::TextReader text(file, '#', ',');
  AccessesSummary summary;
  std::unordered_map<std::int32_t, std::int32_t> points;  // the last one of each rank, so far
  while (text.next_line()) {
    if (summary.lines == 0 && text.peek() == 'r') continue;  // the heading
    AddressedAccess line;
    line.rank = small_number(text, "rank", 0, most_accessing_ranks - 1);
    line.owner = small_number(text, "owner", 0, most_accessing_ranks - 1);
    line.address = number(text, "address", 0, most_address);
    line.size_bytes = small_number(text, "size in bytes", 1, most_bytes);
    line.writes = read_kind(text);
    line.point = small_number(text, "sequence point", 0, most_sequence_points - 1);
    if (text.peek() != 0) text.fail("there is more than rank, owner, address, bytes, access, point");
    std::int32_t& before = points[line.rank];
    if (line.point < before)
      text.fail(fmt::format("rank {} goes back from sequence point {} to {}", line.rank, before, line.point));
    before = line.point;
    summary.ranks = std::max({summary.ranks, line.rank + 1, line.owner + 1});
    summary.points = std::max(summary.points, line.point + 1);
    summary.writes = summary.writes || line.writes;
    if (std::int64_t{summary.ranks} * summary.points > most_ranks_times_points)
      text.fail(fmt::format("{} and {} sequence points (multiplied, {} at most)",
                            format_count(summary.ranks, "rank"), summary.points, most_ranks_times_points));
    ++summary.lines;
    if (visit) visit(line);
  }
  if (summary.lines == 0) text.fail("the file has no access");
  return summary;
}

}  // namespace finegrain::pattern
