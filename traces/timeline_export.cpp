// SPDX-License-Identifier: MIT
#include "traces/timeline_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "traces/io/input_error.hpp"
#include "traces/timeline_text.hpp"

namespace finegrain {
namespace {

std::set<int> selected_ranks(const Trace& trace, const TimelineSelection& selection) {
  const int ranks = trace.manifest().run.ranks;
  if (!selection.ranks.empty() && *selection.ranks.rbegin() >= ranks) {
    throw InputError(
        "ranks",
        fmt::format("there is no rank {} (the run had {}, from 0)", *selection.ranks.rbegin(), ranks),
        "Give others");
  }
  if (!selection.ranks.empty()) return selection.ranks;
  std::set<int> all;
  for (int rank = 0; rank < ranks; ++rank)
    all.insert(rank);
  return all;
}

/// Its iterations up to the last whole one. @returns what is wrong with the rest, if anything
std::string for_each_iteration(
    const Trace& trace, int rank,
    const std::function<bool(std::int64_t number, const RecordedIteration& recorded)>& goes_on) {
  try {
    Trace::RankReader reader = trace.rank(rank);
    std::int64_t number = 0;
    for (auto recorded = reader.next(); recorded; recorded = reader.next()) {
      if (!goes_on(number++, *recorded)) return {};
    }
  } catch (const MissingFile& error) {
    return error.what();
  } catch (const UnfinishedFile& error) {
    return error.what();
  }
  return {};
}

std::int64_t first_start_ns(const Trace& trace) {
  std::optional<std::int64_t> first_ns;
  for (int rank = 0; rank < trace.manifest().run.ranks; ++rank) {
    for_each_iteration(trace, rank, [&](std::int64_t /*number*/, const RecordedIteration& recorded) {
      first_ns = std::min(first_ns.value_or(recorded.time.start_ns), recorded.time.start_ns);
      return false;
    });
  }
  return first_ns.value_or(0);
}

}  // namespace

std::unique_ptr<TimelineText> make_timeline_text(TimelineFormat format, std::function<int(int rank)> node,
                                                 const TimelineWindow& window) {
  if (format == TimelineFormat::csv) return std::make_unique<CsvText>(window);
  return std::make_unique<ChromeText>(std::move(node), window);
}

FileKind timeline_kind(TimelineFormat format) {
  if (format == TimelineFormat::csv) {
    return {"a timeline as CSV", {".csv"}, [](std::string_view content) {
              return content.starts_with(CsvText::heading);
            }};
  }
  return {"a timeline of trace events", {".json"}, [](std::string_view content) {
            return content.starts_with(fmt::format("{}\n{}", ChromeText::opening, ChromeText::first_event));
          }};
}

TimelineExport export_timeline(const Trace& trace, TimelineFormat format, const TimelineSelection& selection,
                               const std::filesystem::path& file, const OnRank& on_rank,
                               const Protection& protection) {
  // A file that must not be replaced is reported before all ranks are read.
  AtomicFile out(file, timeline_kind(format), protection);
  const Run& run = trace.manifest().run;
  const std::set<int> ranks = selected_ranks(trace, selection);
  const TimelineWindow window{first_start_ns(trace), 1e6 * selection.from_s, 1e6 * selection.until_s,
                              [&](int rank) { return ranks.contains(rank); }};
  const int passes = 2;
  int done = 0;
  const auto report = [&] {
    if (on_rank) on_rank(++done, passes * static_cast<int>(ranks.size()));
  };

  // How many iterations fit is known once all ranks were seen, so the text is made twice.
  TimelineExport result;
  std::vector<std::uint64_t> bytes_of_iterations;
  bool saw_all = true;
  const auto node = [&](int rank) { return rank / run.ranks_per_node; };
  auto text = make_timeline_text(format, node, window);
  std::uint64_t frame_bytes = text->head().size() + text->tail().size();
  for (const int rank : ranks) {
    frame_bytes += text->begin_rank(rank).size();
    std::uint64_t bytes_of_rank = 0;
    const std::string problem =
        for_each_iteration(trace, rank, [&](std::int64_t number, const RecordedIteration& recorded) {
          const auto index = static_cast<std::size_t>(number);
          if (index >= bytes_of_iterations.size()) bytes_of_iterations.push_back(0);
          const std::uint64_t bytes = text->iteration(number, recorded).size();
          bytes_of_iterations[index] += bytes;
          bytes_of_rank += bytes;
          saw_all = saw_all && bytes_of_rank <= selection.most_bytes;
          return bytes_of_rank <= selection.most_bytes;
        });
    if (!problem.empty()) result.problems.push_back(problem);
    report();
  }
  std::uint64_t bytes_so_far = frame_bytes;
  for (const std::uint64_t bytes : bytes_of_iterations) {
    bytes_so_far += bytes;
    if (bytes_so_far > selection.most_bytes) break;
    ++result.iterations;
  }
  const auto seen = static_cast<std::int64_t>(bytes_of_iterations.size());
  result.left_out = (saw_all ? seen : std::max(seen, run.iterations)) - result.iterations;

  const auto write = [&](const std::string& rows) {
    out.write(rows);
    result.bytes += rows.size();
  };
  text = make_timeline_text(format, node, window);
  write(text->head());
  for (const int rank : ranks) {
    write(text->begin_rank(rank));
    for_each_iteration(trace, rank, [&](std::int64_t number, const RecordedIteration& recorded) {
      if (number >= result.iterations) return false;
      write(text->iteration(number, recorded));
      return true;
    });
    report();
  }
  write(text->tail());
  out.commit();
  return result;
}

RegionsInWindow regions_in_window(const Trace& trace, const TimelineSelection& selection, std::size_t most) {
  const std::set<int> ranks = selected_ranks(trace, selection);
  const TimelineWindow window{first_start_ns(trace), 1e6 * selection.from_s, 1e6 * selection.until_s, {}};
  RegionsInWindow found;
  for (const int rank : ranks) {
    const std::string problem =
        for_each_iteration(trace, rank, [&](std::int64_t number, const RecordedIteration& recorded) {
          for (std::size_t r = 0; r < recorded.regions.size(); ++r) {
            const Interval& time = recorded.regions[r];
            if (!window.overlaps(time)) continue;
            if (found.regions.size() == most) {
              ++found.left_out;
              continue;
            }
            const auto operations = recorded.body.operations_of(recorded.body.regions[r]);
            double bytes = 0;
            for_each_post(operations, [&](const Post& post) {
              bytes += static_cast<double>(post.size_bytes) * static_cast<double>(post.repeat);
            });
            found.regions.push_back({rank, number, recorded.body.regions[r].name, window.us(time.start_ns),
                                     window.us(time.end_ns), count_posts(operations), bytes});
          }
          return window.us(recorded.time.start_ns) <= window.until_us;
        });
    if (!problem.empty()) found.problems.push_back(problem);
  }
  return found;
}

}  // namespace finegrain
