// SPDX-License-Identifier: MIT
#include "traces/io/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace finegrain {
namespace {

/// How many letters one has to insert, remove or replace to get from one to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> known) {
  std::string best;
  std::size_t least = 2 + word.size() / 4;
  for (const std::string& candidate : known) {
    // Letters that one has more than the other have to be inserted: a long word costs no time.
    const std::size_t more =
        std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
    if (more >= least) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

}  // namespace finegrain
