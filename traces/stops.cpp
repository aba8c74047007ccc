// SPDX-License-Identifier: MIT
#include "traces/stops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "traces/clock.hpp"
#include "traces/file_slice.hpp"
#include "traces/io/input_error.hpp"
#include "traces/packed_trace.hpp"
#include "traces/rank_file.hpp"
#include "traces/rank_file_reader.hpp"

namespace finegrain {
namespace {

constexpr std::size_t most_listed = 8;

/// A rank's file, as far as it matters here.
struct Ends {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();  ///< the end of the first call
  std::optional<Stop> stop;                                          ///< none: it has an end mark
  std::int64_t stop_ns = 0;
};

Ends find_ends(RankFileReader file, int rank, const ClockMap& clock, const NamePlace& name_place) {
  Ends ends;
  Stop stop{.rank = rank, .function = {}};
  try {
    while (const Decoded* call = file.next()) {
      const Interval& time = call->times.regions.back();
      if (stop.function.empty()) ends.first_ns = clock.to_rank0_ns(time.end_ns);
      stop.function = call->shape->body.regions.back().name.text();
      ends.stop_ns = clock.to_rank0_ns(time.end_ns);
    }
    return ends;
  } catch (const UnfinishedFile&) {
    if (const auto& open = file.call_in_progress()) {
      stop.function = open->function;
      if (name_place && !open->caller.object.empty())
        stop.function += " " + name_place(std::span(&open->caller, 1));
      stop.is_in_call = true;
      stop.polls = open->polls;
      ends.stop_ns = clock.to_rank0_ns(open->since_ns);
    }
    ends.stop = std::move(stop);
  } catch (const InputError&) {  // it is damaged or missing, which others say
  }
  return ends;
}

/// "0-2,5"
std::string list(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
      ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", ranks[first]);
    if (last > first) text += fmt::format("-{}", ranks[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace

std::vector<Stop> find_stops(const Trace& trace, const std::filesystem::path& path,
                             const NamePlace& name_place) {
  const Manifest& manifest = trace.manifest();
  std::optional<std::map<std::string, FileSlice>> packed;
  if (std::filesystem::is_regular_file(path)) packed = packed_entries(path);
  std::vector<std::pair<Stop, std::int64_t>> found;
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  for (int rank = 0; rank < manifest.run.ranks; ++rank) {
    const std::string name = rank_file_name(rank);
    const auto r = static_cast<std::size_t>(rank);
    const ClockMap clock = manifest.offsets_at_end.empty()
                               ? ClockMap(manifest.offsets_at_start[r], std::nullopt)
                               : ClockMap(manifest.offsets_at_start[r], manifest.offsets_at_end[r]);
    try {
      const Ends ends = find_ends({packed ? packed->at(name) : FileSlice(path / name), rank,
                                   manifest.run.ranks, std::make_shared<Communicators>(), name_place},
                                  rank, clock, name_place);
      first_ns = std::min(first_ns, ends.first_ns);
      if (ends.stop) found.emplace_back(*ends.stop, ends.stop_ns);
    } catch (const InputError&) {  // others say that it is missing
    } catch (const std::out_of_range&) {
    }
  }
  std::vector<Stop> stops;
  for (auto& [stop, at_ns] : found) {
    if (!stop.function.empty()) stop.since_s = 1e-9 * static_cast<double>(at_ns - first_ns);
    stops.push_back(std::move(stop));
  }
  return stops;
}

std::string describe(const std::vector<Stop>& stops) {
  std::map<std::tuple<bool, std::string>, std::vector<const Stop*>> alike;
  for (const Stop& stop : stops)
    alike[{!stop.is_in_call, stop.function}].push_back(&stop);
  std::string text;
  std::size_t listed = 0;
  for (const auto& [kind, members] : alike) {
    if (listed++ == most_listed) {
      text += fmt::format("; and {} others", alike.size() - most_listed);
      break;
    }
    std::vector<int> ranks;
    const Stop* first = members.front();
    for (const Stop* const stop : members) {
      ranks.push_back(stop->rank);
      if (stop->since_s < first->since_s) first = stop;
    }
    const std::string which = fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", list(ranks));
    if (!text.empty()) text += "; ";
    if (first->function.empty()) {
      text += fmt::format("nothing of {} was kept", which);
      continue;
    }
    text += which + " ";
    if (first->is_in_call) {
      text += fmt::format("in {} since {:.3f} s", first->function, first->since_s);
    } else {
      text += fmt::format("after {} at {:.3f} s", first->function, first->since_s);
    }
    if (first->polls > 0) text += fmt::format(" ({} calls that found nothing)", first->polls);
  }
  return text;
}

}  // namespace finegrain
