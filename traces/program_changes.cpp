// SPDX-License-Identifier: MIT
#include "traces/program_changes.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "traces/place_of_call.hpp"

namespace finegrain {
namespace {

/// "MPI_Isend halo.c:88" is line 88 of "MPI_Isend halo.c". Names without a line have line 0.
std::pair<std::string, int> function_and_line(std::string_view place) {
  const std::size_t colon = place.rfind(':');
  int line = 0;
  if (colon == std::string_view::npos) return {std::string(place), 0};
  const auto [end, error] = std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
  if (error != std::errc() || end != place.data() + place.size()) return {std::string(place), 0};
  return {std::string(place.substr(0, colon)), line};
}

/// Places of one function in one file, by line.
struct OfFile {
  std::vector<std::pair<int, std::size_t>> before, after;  ///< line, index
};

/// Pairs of both sequences in their order, such that their worth is the greatest.
class Alignment {
 public:
  Alignment(const OfFile& places, std::span<const FunctionSummary> before,
            std::span<const FunctionSummary> after)
      : places_(places), before_(before), after_(after), width_(places.after.size() + 1) {
    best_.resize((places.before.size() + 1) * width_, 0);
    for (std::size_t b = places.before.size(); b-- > 0;)
      for (std::size_t a = places.after.size(); a-- > 0;)
        best(b, a) = std::max({best(b + 1, a), best(b, a + 1), worth(b, a) + best(b + 1, a + 1)});
  }

  std::vector<PlaceChange> pairs() const {
    std::vector<PlaceChange> found;
    std::size_t b = 0, a = 0;
    while (b < places_.before.size() || a < places_.after.size()) {
      const bool has_both = b < places_.before.size() && a < places_.after.size();
      if (has_both && best(b, a) == worth(b, a) + best(b + 1, a + 1)) {
        found.push_back({places_.before[b++].second, places_.after[a++].second});
      } else if (a == places_.after.size() || (has_both && best(b, a) == best(b + 1, a))) {
        found.push_back({places_.before[b++].second, std::nullopt});
      } else {
        found.push_back({std::nullopt, places_.after[a++].second});
      }
    }
    return found;
  }

 private:
  /// Alike counts for most, then that there is a partner at all, then the same line.
  std::int64_t worth(std::size_t b, std::size_t a) const {
    const auto& [line_before, before] = places_.before[b];
    const auto& [line_after, after] = places_.after[a];
    return (is_alike(before_[before], after_[after]) ? 100 : 10) + (line_before == line_after ? 1 : 0);
  }
  std::int64_t& best(std::size_t b, std::size_t a) { return best_[b * width_ + a]; }
  std::int64_t best(std::size_t b, std::size_t a) const { return best_[b * width_ + a]; }

  const OfFile& places_;
  std::span<const FunctionSummary> before_, after_;
  std::size_t width_;
  std::vector<std::int64_t> best_;  ///< the greatest worth of what follows, shape [before + 1][after + 1]
};

/// A file has a longer name where another one of its name is called from, too: "MPI_Isend ocean/halo.c" may
/// be "MPI_Isend halo.c" in the other recording, and is then together with it.
std::map<std::string, OfFile> with_longer_names(const std::map<std::string, OfFile>& of_names) {
  std::map<std::string, OfFile> files;
  for (const auto& [place, places] : of_names) {
    const std::string function = place.substr(0, place.find(' ') + 1);
    std::string shortest = place;
    for (std::size_t slash = place.find('/', function.size()); slash != std::string::npos;
         slash = place.find('/', slash + 1))
      if (const std::string shorter = function + place.substr(slash + 1); of_names.contains(shorter))
        shortest = shorter;
    OfFile& file = files[shortest];
    std::ranges::copy(places.before, std::back_inserter(file.before));
    std::ranges::copy(places.after, std::back_inserter(file.after));
  }
  return files;
}

/// Places that have moved into another file: what is gone here and new there, and makes the same calls.
void pair_moved(std::vector<PlaceChange>& all, std::span<const FunctionSummary> before,
                std::span<const FunctionSummary> after) {
  for (PlaceChange& gone : all) {
    if (!gone.before || gone.after) continue;
    const FunctionSummary& was = before[*gone.before];
    const auto moved = std::ranges::find_if(all, [&](const PlaceChange& other) {
      return !other.before && other.after && line_of(was.name) != function_of(was.name) &&
             function_of(after[*other.after].name) == function_of(was.name) &&
             is_alike(was, after[*other.after]);
    });
    if (moved != all.end()) gone.after = std::exchange(moved->after, std::nullopt);
  }
  std::erase_if(all, [](const PlaceChange& change) { return !change.before && !change.after; });
}

}  // namespace

bool is_alike(const FunctionSummary& one, const FunctionSummary& other) {
  return one.calls == other.calls && one.messages == other.messages &&
         one.message_bytes == other.message_bytes;
}

std::vector<PlaceChange> match_places(std::span<const FunctionSummary> before,
                                      std::span<const FunctionSummary> after) {
  std::map<std::string, OfFile> of_names;
  for (std::size_t i = 0; i < before.size(); ++i) {
    auto [file, line] = function_and_line(before[i].name.text());
    of_names[std::move(file)].before.emplace_back(line, i);
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    auto [file, line] = function_and_line(after[i].name.text());
    of_names[std::move(file)].after.emplace_back(line, i);
  }
  std::vector<PlaceChange> all;
  for (auto& [file, places] : with_longer_names(of_names)) {
    std::ranges::sort(places.before);
    std::ranges::sort(places.after);
    std::ranges::copy(Alignment(places, before, after).pairs(), std::back_inserter(all));
  }
  pair_moved(all, before, after);
  std::ranges::sort(all, {}, [&](const PlaceChange& change) {
    return std::pair(change.after.value_or(after.size()), change.before.value_or(before.size()));
  });
  return all;
}

}  // namespace finegrain
