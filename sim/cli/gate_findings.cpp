// SPDX-License-Identifier: MIT
#include "sim/cli/gate_findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "traces/io/units.hpp"
#include "traces/place_of_call.hpp"

namespace finegrain::cli {
namespace {

using changes::PlaceCounts;
using changes::StructureChange;

/// Less of the time is not worth a finding of its own.
constexpr double least_time = 1e-3;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// How often most places are called by a rank: the program's steps. None: there is no such number.
std::optional<std::int64_t> steps_of(const changes::Structure& structure) {
  std::map<std::int64_t, int> seen;
  for (const changes::Place& place : structure.places)
    for (const PlaceCounts& rank : place.ranks)
      if (rank.calls > 1) ++seen[rank.calls];
  std::optional<std::int64_t> steps;
  for (const auto& [calls, times] : seen)
    if (!steps || times >= seen[*steps]) steps = calls;
  return steps;
}

/// The part of a rank's calls that its steps are: the longest one between the first and the last call of a
/// place that it calls once in each step. A loop before the steps may have as many passes, but is shorter.
changes::CallRange steps_range(const changes::Structure& structure, std::size_t rank, std::int64_t steps) {
  changes::CallRange longest;
  for (const changes::Place& place : structure.places)
    if (place.ranks[rank].calls == steps && place.ranges[rank].length() > longest.length())
      longest = place.ranges[rank];
  return longest;
}

/// Whether the ranks call from a place throughout their steps, and not in a loop before or after them.
bool is_in_steps(const changes::Structure& structure, RegionName name, std::int64_t steps) {
  const auto place = std::ranges::find(structure.places, name, &changes::Place::name);
  if (place == structure.places.end()) return false;
  for (std::size_t rank = 0; rank < place->ranks.size(); ++rank) {
    if (place->ranks[rank].calls == 0) continue;
    const changes::CallRange loop = steps_range(structure, rank, steps);
    const changes::CallRange& range = place->ranges[rank];
    const std::int64_t shared = std::min(range.last, loop.last) - std::max(range.first, loop.first);
    if (loop.length() < 0 || 2 * shared < loop.length()) return false;
  }
  return true;
}

/// Two numbers of the same thing, in the same unit.
struct Amount {
  std::string is, was;  ///< "26", "6"
  std::string each;     ///< "a step": each rank does so much

  std::string more() const { return is == "1" && each == "a step" ? "in each step" : is + ' ' + each; }
};

/// Says how much a rank does, in each step where that is a whole number.
class Amounts {
 public:
  explicit Amounts(const ComparedRuns& runs)
      : before_(runs.before.structures.front()),
        after_(runs.after.structures.front()),
        ranks_(runs.after.ranks()),
        steps_(steps_of(before_)) {}

  Amount amount(const StructureChange& at, std::int64_t is, std::int64_t was) const {
    const auto divides = [&](std::int64_t by) { return is % by == 0 && was % by == 0; };
    const auto amount = [&](std::int64_t by, std::string each) {
      const auto text = [&](std::int64_t number) {
        return fmt::format("{:.6g}", static_cast<double>(number) / static_cast<double>(by));
      };
      return Amount{text(is), text(was), std::move(each)};
    };
    const bool in_steps = steps_ && (!at.before || is_in_steps(before_, *at.before, *steps_)) &&
                          (!at.after || is_in_steps(after_, *at.after, *steps_));
    if (in_steps && divides(*steps_ * ranks_)) return amount(*steps_ * ranks_, "a step");
    if (in_steps && divides(*steps_)) return amount(*steps_, "a step of all ranks");
    return divides(ranks_) ? amount(ranks_, "a rank") : amount(1, "in all");
  }

 private:
  const changes::Structure& before_;
  const changes::Structure& after_;
  int ranks_;
  std::optional<std::int64_t> steps_;
};

std::string article(std::string_view function) {
  return fmt::format("{} {}", function.starts_with("MPI_") || function.starts_with("I") ? "an" : "a",
                     function);
}

double bytes_each(const PlaceCounts& counts) {
  const std::int64_t number = counts.messages > 0 ? counts.messages : counts.calls;
  return number > 0 ? counts.bytes / static_cast<double>(number) : 0;
}

bool receives(const StructureChange& change) {
  const std::string_view function = function_of(change.after ? *change.after : *change.before);
  return (function.find("recv") != std::string_view::npos ||
          function.find("Recv") != std::string_view::npos) &&
         function.find("end") == std::string_view::npos;  // MPI_Sendrecv
}

/// "MPI_Send" of "MPI_Isend"; a function that blocks has none.
std::optional<std::string> blocking_form(std::string_view function) {
  if (!function.starts_with("MPI_I") || function.size() < 7) return std::nullopt;
  std::string name = fmt::format("MPI_{}", function.substr(5));
  name[4] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[4])));
  return name;
}

std::string text_of(const StructureChange& change, const Amounts& amounts) {
  const RegionName place = change.after ? *change.after : *change.before;
  const std::string_view function = function_of(place), line = line_of(place);
  const PlaceCounts &was = change.was, &is = change.is;
  const auto sizes = [&](const PlaceCounts& counts) {
    if (counts.bytes == 0) return std::string();
    return fmt::format(", {:.6g} B {}", bytes_each(counts), counts.messages > 0 ? "a message" : "each");
  };
  if (!change.before)
    return fmt::format("{}: {} more {}{}", line, article(function),
                       amounts.amount(change, is.calls, 0).more(), sizes(is));
  if (!change.after)
    return fmt::format("{}: {} is gone (it was there {}{})", line, function,
                       amounts.amount(change, was.calls, 0).more(), sizes(was));
  const std::string were = fmt::format("{}, were {:.6g} B", sizes(is), bytes_each(was));
  if (is.messages != was.messages) {
    const auto [now, before, each] = amounts.amount(change, is.messages, was.messages);
    return fmt::format("{} {} {} messages {}, was {}{}", line, receives(change) ? "receives" : "sends", now,
                       each, before, bytes_each(is) == bytes_each(was) ? "" : were);
  }
  if (is.calls != was.calls) {
    const auto [now, before, each] = amounts.amount(change, is.calls, was.calls);
    return fmt::format("{}: {} {} {}, was {}{}", line, function, now, each, before,
                       bytes_each(is) == bytes_each(was) ? "" : were);
  }
  if (is.bytes != was.bytes)
    return fmt::format("{}: {} of {:.6g} B{}, was {:.6g} B", line, function, bytes_each(is),
                       is.messages > 0 ? " a message" : "", bytes_each(was));
  return fmt::format("{}: {} has other partners, or other ranks call it", line, function);
}

double seconds_at(const replay::RegionSeconds& seconds, const std::optional<RegionName>& place) {
  if (!place) return 0;
  const auto found = seconds.find(std::string(place->text()));
  return found == seconds.end()
             ? 0
             : replay::sum_over_ranks(found->second) / static_cast<double>(found->second.size());
}

Finding structural(std::string text, RegionName place, const std::optional<RegionName>& before,
                   const std::optional<RegionName>& after, const std::vector<PlatformTimes>& platforms) {
  Finding finding{"structure", std::string(line_of(place)), std::move(text)};
  for (const PlatformTimes& times : platforms)
    finding.changes.push_back(
        (seconds_at(times.own_after_s, after) - seconds_at(times.own_before_s, before)) / times.was_s());
  return finding;
}

/// A call in place of another, which transfers the same.
std::optional<std::string> replacement(const StructureChange& gone, const StructureChange& added) {
  if (!gone.before || gone.after || added.before || !added.after) return std::nullopt;
  if (!may_be_of_one_file(*gone.before, *added.after)) return std::nullopt;
  if (gone.was.messages != added.is.messages || gone.was.bytes != added.is.bytes) return std::nullopt;
  if (gone.was.messages == 0 && gone.was.calls != added.is.calls) return std::nullopt;
  const std::string_view was = function_of(*gone.before), is = function_of(*added.after);
  const std::string change = fmt::format("{} became {} at {}", was, is, line_of(*added.after));
  if (blocking_form(was) == is) return "overlap lost: " + change;
  if (blocking_form(is) == was) return "overlap possible: " + change;
  return gone.was.messages > 0 || gone.was.bytes > 0 ? std::optional(change) : std::nullopt;
}

std::vector<Finding> structural_findings(const ComparedRuns& runs,
                                         const std::vector<PlatformTimes>& platforms) {
  std::vector<StructureChange> left = runs.structure.changes;
  const Amounts amounts(runs);
  std::vector<Finding> found;
  for (auto gone = left.begin(); gone != left.end();) {
    std::optional<std::string> text;
    auto added = left.begin();
    for (; added != left.end(); ++added)
      if ((text = replacement(*gone, *added))) break;
    if (!text) {
      ++gone;
      continue;
    }
    found.push_back(structural(*text, *added->after, gone->before, added->after, platforms));
    const auto second = std::max(gone, added), first = std::min(gone, added);
    left.erase(second);
    gone = left.erase(first);
    gone = left.begin();
  }
  // Receives and waits follow what is sent.
  const auto is_main = [](const StructureChange& change) {
    return !change.only_completes && !receives(change);
  };
  const bool any_main = !found.empty() || std::ranges::any_of(left, is_main);
  for (const StructureChange& change : left) {
    if (any_main && !is_main(change)) continue;
    found.push_back(structural(text_of(change, amounts), change.after ? *change.after : *change.before,
                               change.before, change.after, platforms));
  }
  return found;
}

/// The changed program's name of a place.
RegionName name_now(const ComparedRuns& runs, RegionName before) {
  for (const auto& [was, is] : runs.structure.pairs)
    if (was == before) return is;
  return before;
}

/// Says where work is.
class WorkTexts {
 public:
  explicit WorkTexts(const ComparedRuns& runs) : runs_(runs) {}

  Finding finding(const changes::Imbalance& imbalance) const {
    return {"work", place(imbalance.stretch),
            fmt::format("work of {} {} is {:.2f} times what it was, compared with other ranks",
                        ranks(imbalance.ranks), where(imbalance.stretch), imbalance.factor)};
  }
  Finding finding(const changes::MovedWork& moved) const {
    const RegionName call = name_now(runs_, moved.call);
    return {"work", std::string(line_of(call)),
            fmt::format("overlap {}: work that was done {} {} at {} is now done {} it",
                        moved.is_after ? "lost" : "gained", moved.is_after ? "before" : "after",
                        function_of(call), line_of(call), moved.is_after ? "after" : "before")};
  }
  std::string note(const changes::SlowedStretch& slowed) const {
    return fmt::format("{} takes {:.2f} times as long on all ranks", where(slowed.stretch), slowed.factor);
  }

 private:
  static std::string ranks(const std::vector<int>& ranks) {
    constexpr std::ptrdiff_t most_named = 8;
    const std::vector<int> named(ranks.begin(), ranks.begin() + std::min(std::ssize(ranks), most_named));
    return fmt::format(
        "{} {}{}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(named, ", "),
        named.size() < ranks.size() ? fmt::format(" and {} others", ranks.size() - named.size()) : "");
  }
  std::string line(RegionName before) const { return std::string(line_of(name_now(runs_, before))); }
  std::string place(const changes::Stretch& stretch) const {
    return stretch.before ? line(*stretch.before) : stretch.after ? line(*stretch.after) : "";
  }
  std::string where(const changes::Stretch& stretch) const {
    if (!stretch.after) return stretch.before ? "before " + line(*stretch.before) : "before its first call";
    if (!stretch.before) return "after " + line(*stretch.after);
    return fmt::format("between {} and {}", line(*stretch.after), line(*stretch.before));
  }

  const ComparedRuns& runs_;
};

std::vector<Finding> work_findings(const ComparedRuns& runs) {
  const WorkTexts texts(runs);
  std::vector<Finding> found;
  for (const changes::MovedWork& moved : runs.work.moved)
    found.push_back(texts.finding(moved));
  for (const changes::Imbalance& imbalance : runs.work.imbalances)
    found.push_back(texts.finding(imbalance));
  return found;
}

}  // namespace

void compare_runs(ComparedRuns& runs) {
  runs.structure = changes::compare_structures(runs.before.structures, runs.after.structures);
  runs.before.places.anchors = {runs.structure.anchors.begin(), runs.structure.anchors.end()};
  runs.after.places.anchors = runs.before.places.anchors;
  for (const auto& [before, after] : runs.structure.pairs)
    runs.after.places.names.emplace(after, before);
  for (RecordedRuns* side : {&runs.before, &runs.after})
    side->work = changes::measure_work(side->programs, side->places);
  runs.work = changes::compare_work(runs.before.work, runs.after.work);
  runs.before.table = changes::table_of(runs.before.work);
  runs.after.table = changes::table_with_work_of_before(runs.before.work, runs.after.work, runs.work);
}

double PlatformTimes::was_s() const {
  return mean_of(before_s);
}

double PlatformTimes::is_s() const {
  return mean_of(after_s);
}

double PlatformTimes::change() const {
  const auto [least_before, most_before] = std::ranges::minmax(before_s);
  const auto [least_after, most_after] = std::ranges::minmax(after_s);
  const double gap = std::max(least_after - most_before, least_before - most_after);
  if (gap <= std::max(most_before - least_before, most_after - least_after)) return 0;
  return is_s() / was_s() - 1;
}

std::string note_of_work(const ComparedRuns& runs) {
  const WorkTexts texts(runs);
  std::vector<std::string> slowed;
  for (const changes::SlowedStretch& one : runs.work.slowed)
    if (one.share > 0.1) slowed.push_back(texts.note(one));
  if (slowed.empty() && runs.work.slowdown > 0.8 && runs.work.slowdown < 1.25) return "";
  return fmt::format(
      "All work took {:.2f} times as long here as in the baseline{}{}. This is not judged: another computer, "
      "other programs "
      "on it and flags of the compiler do the same.",
      runs.work.slowdown, slowed.empty() ? "" : "; beyond that, work ", fmt::join(slowed, ", "));
}

std::vector<Finding> findings_of(const ComparedRuns& runs, const std::vector<PlatformTimes>& platforms) {
  std::vector<Finding> found = structural_findings(runs, platforms);
  std::vector<Finding> work = work_findings(runs);
  for (Finding& finding : work) {
    // What structure does not explain is shared among them.
    for (std::size_t p = 0; p < platforms.size(); ++p) {
      double explained = 0;
      for (const Finding& other : found)
        explained += other.changes[p];
      finding.changes.push_back((platforms[p].change() - explained) / static_cast<double>(work.size()));
    }
  }
  std::ranges::move(work, std::back_inserter(found));
  const auto largest = [](const Finding& finding) {
    return finding.changes.empty() ? 0 : std::ranges::max(finding.changes);
  };
  if (found.size() == 1)
    for (std::size_t p = 0; p < platforms.size(); ++p)
      found.front().changes[p] = platforms[p].change();
  if (found.empty()) {
    Finding order{"time", "", "the same calls, messages, bytes and work, in another order"};
    for (const PlatformTimes& times : platforms)
      order.changes.push_back(times.change());
    if (std::ranges::any_of(order.changes, [](double change) { return std::abs(change) > least_time; }))
      found.push_back(order);
  }
  std::ranges::stable_sort(found, std::ranges::greater(), largest);
  return found;
}

}  // namespace finegrain::cli
