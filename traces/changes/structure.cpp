// SPDX-License-Identifier: MIT
#include "traces/changes/structure.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "traces/place_of_call.hpp"

namespace finegrain::changes {
namespace {

/// Functions that say what has arrived.
constexpr std::array functions_of_arrival = {std::string_view("MPI_Test"),
                                             std::string_view("MPI_Testall"),
                                             std::string_view("MPI_Testany"),
                                             std::string_view("MPI_Testsome"),
                                             std::string_view("MPI_Waitany"),
                                             std::string_view("MPI_Waitsome"),
                                             std::string_view("MPI_Probe"),
                                             std::string_view("MPI_Iprobe"),
                                             std::string_view("MPI_Mprobe"),
                                             std::string_view("MPI_Improbe"),
                                             std::string_view("MPI_Request_get_status"),
                                             std::string_view("MPI_Win_test"),
                                             std::string_view("MPI_Parrived")};

std::uint64_t hash_of(const Post& post) {
  std::uint64_t hash = static_cast<std::uint64_t>(post.peer) * 8 + static_cast<std::uint64_t>(post.kind) + 1;
  for (const std::uint64_t factor : {0x9e3779b97f4a7c15U, 0xbf58476d1ce4e5b9U}) {
    hash *= factor;
    hash ^= hash >> 31U;
  }
  return hash;
}

/// Adds up what a rank did, place by place.
class Counting {
 public:
  Counting(Structure& structure, int ranks)
      : structure_(structure), ranks_(static_cast<std::size_t>(ranks)), passed_(ranks_) {}

  void add(int rank, const Loop& loop) {
    const Body& call = *loop.body;
    if (call.regions.empty()) return;
    const Region& region = call.regions.back();
    if (is_moment_of_thread(region.name)) return;
    const auto operations = call.operations_of(region);
    const bool depends = depends_on_arrival(call);
    structure_.depends_on_time = structure_.depends_on_time || depends;
    if (depends && operations.empty()) return;  // it found nothing
    Place& place = place_of(region.name);
    PlaceCounts& counts = place.ranks[static_cast<std::size_t>(rank)];
    PlaceCounts once{.calls = 1};
    std::int64_t completed = 0;
    for (const Operation& operation : operations) {
      if (const auto* complete = std::get_if<Complete>(&operation)) {
        completed += complete->is_all() ? 1 : complete->count;
        continue;
      }
      if (std::holds_alternative<Work>(operation)) continue;
      place.only_completes = false;
      if (const auto* post = std::get_if<Post>(&operation)) {
        once.messages += post->repeat;
        once.bytes += static_cast<double>(post->repeat) * static_cast<double>(post->size_bytes);
        once.peers += hash_of(*post) * static_cast<std::uint64_t>(post->repeat);
        structure_.depends_on_time = structure_.depends_on_time || post->any_source || post->any_tag;
      } else if (const auto* collective = std::get_if<Collective>(&operation)) {
        once.bytes += static_cast<double>(collective->size_bytes);
      }
    }
    for (const std::int64_t size : call.sizes)
      once.bytes += static_cast<double>(size);
    // How many calls it takes to complete several requests depends on when they are complete.
    if (depends && completed > 0) once.calls = completed;
    const auto times = static_cast<std::uint64_t>(loop.count);
    std::int64_t& passed = passed_[static_cast<std::size_t>(rank)];
    CallRange& range = place.ranges[static_cast<std::size_t>(rank)];
    if (counts.calls == 0) range.first = passed;
    passed += loop.count;
    range.last = passed - 1;
    counts += {.calls = once.calls * loop.count,
               .messages = once.messages * loop.count,
               .bytes = once.bytes * static_cast<double>(loop.count),
               .peers = once.peers * times};
  }

 private:
  Place& place_of(RegionName name) {
    const auto [known, is_new] = indices_.try_emplace(name, structure_.places.size());
    if (is_new)
      structure_.places.push_back({.name = name,
                                   .ranks = std::vector<PlaceCounts>(ranks_),
                                   .ranges = std::vector<CallRange>(ranks_)});
    return structure_.places[known->second];
  }

  Structure& structure_;
  std::size_t ranks_;
  std::vector<std::int64_t> passed_;  ///< calls so far, shape [ranks]
  std::map<RegionName, std::size_t> indices_;
};

/// The least and the most of runs.
struct Range {
  double least, most;
  double length() const { return most - least; }
};

template <class Number>
Range range_of(const std::vector<PlaceCounts>& runs, Number PlaceCounts::*count) {
  const auto [least, most] = std::ranges::minmax(runs, {}, count);
  return {static_cast<double>(least.*count), static_cast<double>(most.*count)};
}

/// Exactly, where runs of each agree among themselves.
bool differ(const Range& before, const Range& after) {
  const double gap = std::max(after.least - before.most, before.least - after.most);
  return gap > std::max(before.length(), after.length());
}

/// What each run did from a place; nothing where a run never came there.
std::vector<PlaceCounts> counts_of(std::span<const Structure> runs, RegionName name) {
  std::vector<PlaceCounts> counts;
  for (const Structure& run : runs) {
    const auto place = std::ranges::find(run.places, name, &Place::name);
    counts.push_back(place == run.places.end() ? PlaceCounts() : place->all());
  }
  return counts;
}

bool differ(const std::vector<PlaceCounts>& before, const std::vector<PlaceCounts>& after) {
  return differ(range_of(before, &PlaceCounts::calls), range_of(after, &PlaceCounts::calls)) ||
         differ(range_of(before, &PlaceCounts::messages), range_of(after, &PlaceCounts::messages)) ||
         differ(range_of(before, &PlaceCounts::bytes), range_of(after, &PlaceCounts::bytes));
}

/// Whether each rank does the same there in all runs.
bool is_steady(std::span<const Structure> runs, const Place& of_first) {
  return std::ranges::all_of(runs, [&](const Structure& run) {
    const auto place = std::ranges::find(run.places, of_first.name, &Place::name);
    return place != run.places.end() && place->ranks == of_first.ranks;
  });
}

bool have_same_calls(const Place& before, const Place& after) {
  return std::ranges::equal(before.ranks, after.ranks, {}, &PlaceCounts::calls, &PlaceCounts::calls);
}

bool is_alike(const Place& before, const Place& after) {
  const PlaceCounts one = before.all(), other = after.all();
  return one.calls == other.calls && one.messages == other.messages && one.bytes == other.bytes;
}

/// Pairs of places in the order in which ranks come to them, such that their worth is the greatest.
class PlaceAlignment {
 public:
  PlaceAlignment(const Structure& before, const Structure& after)
      : before_(before.places), after_(after.places), width_(after_.size() + 1) {
    best_.resize((before_.size() + 1) * width_, 0);
    for (std::size_t b = before_.size(); b-- > 0;)
      for (std::size_t a = after_.size(); a-- > 0;)
        best(b, a) = std::max({best(b + 1, a), best(b, a + 1), worth(b, a) + best(b + 1, a + 1)});
  }

  std::vector<PlaceMatch> pairs() const {
    std::vector<PlaceMatch> found;
    std::size_t b = 0, a = 0;
    while (b < before_.size() || a < after_.size()) {
      const bool has_both = b < before_.size() && a < after_.size();
      if (has_both && worth(b, a) > 0 && best(b, a) == worth(b, a) + best(b + 1, a + 1)) {
        found.push_back({b++, a++});
      } else if (a == after_.size() || (has_both && best(b, a) == best(b + 1, a))) {
        found.push_back({b++, std::nullopt});
      } else {
        found.push_back({std::nullopt, a++});
      }
    }
    return found;
  }

 private:
  /// Doing the same counts for most, then that there is a partner at all, then the same line.
  int worth(std::size_t b, std::size_t a) const {
    const Place& before = before_[b];
    const Place& after = after_[a];
    if (function_of(before.name) != function_of(after.name)) return 0;
    const bool alike = is_alike(before, after);
    if (!alike && !may_be_of_one_file(before.name, after.name)) return 0;
    return (alike ? 100 : 10) + (before.name == after.name ? 1 : 0);
  }
  int& best(std::size_t b, std::size_t a) { return best_[b * width_ + a]; }
  int best(std::size_t b, std::size_t a) const { return best_[b * width_ + a]; }

  std::span<const Place> before_, after_;
  std::size_t width_;
  std::vector<int> best_;  ///< the greatest worth of what follows, shape [before + 1][after + 1]
};

}  // namespace

PlaceCounts& PlaceCounts::operator+=(const PlaceCounts& other) {
  calls += other.calls;
  messages += other.messages;
  bytes += other.bytes;
  peers += other.peers;
  return *this;
}

PlaceCounts Place::all() const {
  PlaceCounts sum;
  for (const PlaceCounts& rank : ranks)
    sum += rank;
  return sum;
}

bool depends_on_arrival(const Body& call) {
  return !call.regions.empty() &&
         std::ranges::find(functions_of_arrival, function_of(call.regions.back().name)) !=
             functions_of_arrival.end();
}

Structure structure_of(const Programs& programs) {
  Structure structure;
  structure.ranks = programs.ranks();
  Counting counting(structure, structure.ranks);
  for (int rank = 0; rank < structure.ranks; ++rank) {
    const auto cursor = programs.rank(rank);
    while (const Loop* loop = cursor->next())
      counting.add(rank, *loop);
  }
  return structure;
}

std::vector<PlaceMatch> match_places(const Structure& before, const Structure& after) {
  std::vector<PlaceMatch> matches = PlaceAlignment(before, after).pairs();
  for (PlaceMatch& gone : matches) {
    if (gone.after) continue;
    const Place& place = before.places[*gone.before];
    const auto moved = std::ranges::find_if(matches, [&](const PlaceMatch& other) {
      return !other.before && other.after &&
             function_of(after.places[*other.after].name) == function_of(place.name) &&
             is_alike(place, after.places[*other.after]);
    });
    if (moved == matches.end()) continue;
    gone.after = std::exchange(moved->after, std::nullopt);
  }
  std::erase_if(matches, [](const PlaceMatch& match) { return !match.before && !match.after; });
  return matches;
}

StructureChanges compare_structures(std::span<const Structure> before, std::span<const Structure> after) {
  const auto any_depends = [](std::span<const Structure> runs) {
    return std::ranges::any_of(runs, &Structure::depends_on_time);
  };
  const bool depends_on_time = any_depends(before) || any_depends(after);
  StructureChanges found;
  for (const PlaceMatch& match : match_places(before.front(), after.front())) {
    StructureChange change;
    const Place* const was = match.before ? &before.front().places[*match.before] : nullptr;
    const Place* const is = match.after ? &after.front().places[*match.after] : nullptr;
    if (was != nullptr) {
      change.before = was->name;
      change.was = was->all();
    }
    if (is != nullptr) {
      change.after = is->name;
      change.is = is->all();
    }
    change.only_completes = (is != nullptr ? is : was)->only_completes;
    // Where a request is found complete depends on when it is.
    const bool may_vary = depends_on_time && change.only_completes;
    if (was != nullptr && is != nullptr) {
      found.pairs.emplace_back(was->name, is->name);
      if (!may_vary && have_same_calls(*was, *is)) found.anchors.push_back(was->name);
    }
    if (may_vary) continue;
    const auto runs_before =
        was != nullptr ? counts_of(before, was->name) : std::vector<PlaceCounts>(before.size());
    const auto runs_after =
        is != nullptr ? counts_of(after, is->name) : std::vector<PlaceCounts>(after.size());
    const bool others = !depends_on_time && was != nullptr && is != nullptr && was->ranks != is->ranks &&
                        is_steady(before, *was) && is_steady(after, *is);
    if (others || differ(runs_before, runs_after)) found.changes.push_back(change);
  }
  return found;
}

}  // namespace finegrain::changes
