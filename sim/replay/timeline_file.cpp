// SPDX-License-Identifier: MIT
#include "sim/replay/timeline_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "traces/io/input_error.hpp"
#include "traces/timeline_export.hpp"
#include "traces/timeline_text.hpp"

namespace finegrain::replay {
namespace {

std::int64_t ns(double seconds) {
  return std::llround(1e9 * seconds);
}

/// One end of a message, as its rank posts it.
struct PostSpan {
  Post post;
  double start_s;
  double end_s;
};

/// Of each rank, in the order of their starts, which a send shares with its receive.
std::vector<std::vector<PostSpan>> posts_of(const Timeline& timeline, std::size_t ranks) {
  std::vector<std::vector<PostSpan>> posts(ranks);
  const auto add = [&](std::int32_t rank, TransferKind kind, std::int32_t peer, const MessageSpan& message) {
    posts[static_cast<std::size_t>(rank)].push_back(
        {{.kind = kind, .peer = peer, .size_bytes = std::llround(message.bytes)},
         message.start_s,
         message.end_s});
  };
  for (const MessageSpan& message : timeline.messages) {
    const bool is_get = message.kind == TransferKind::get;
    add(is_get ? message.to : message.from, message.kind, is_get ? message.from : message.to, message);
    if (message.kind == TransferKind::send) add(message.to, TransferKind::receive, message.from, message);
  }
  for (std::vector<PostSpan>& of_rank : posts)
    std::ranges::stable_sort(of_rank, {}, &PostSpan::start_s);
  return posts;
}

/// Its phases of one iteration and the posts that begin in them, in the form of a recording.
RecordedIteration as_recorded(std::span<const PhaseSpan> phases, std::span<const PostSpan> posts,
                              const Timeline& timeline, const Schedule& schedule) {
  RecordedIteration recorded;
  const auto rank = static_cast<std::size_t>(phases.front().rank);
  recorded.time = {ns(phases.front().start_s), ns(phases.back().end_s)};
  auto next = posts.begin();
  for (const PhaseSpan& span : phases) {
    const auto place = static_cast<std::size_t>(span.phase);
    if (schedule.ranks.empty()) {
      recorded.body.begin_region(RegionName(timeline.regions[rank][place]));
    } else {
      const Body& body = schedule.ranks[rank];
      recorded.body.begin_region(body.regions[place].name);
      recorded.body.add(Work{.memory_bytes = memory_bytes(body.operations_of(body.regions[place]))});
    }
    recorded.regions.push_back({ns(span.start_s), ns(span.end_s)});
    for (; next != posts.end() && next->start_s <= span.end_s; ++next) {
      recorded.body.add(next->post);
      recorded.posts.push_back({ns(next->start_s), ns(next->end_s)});
    }
  }
  return recorded;
}

TimelineFormat format_of(const std::filesystem::path& file) {
  if (file.extension() == ".json") return TimelineFormat::chrome;
  if (file.extension() == ".csv") return TimelineFormat::csv;
  throw InputError(file.string(), "a timeline's name ends in .json (for Perfetto) or in .csv",
                   "Give it one of these endings");
}

}  // namespace

void write_timeline(const Timeline& timeline, const Schedule& schedule, const problem::Placement& placement,
                    const std::filesystem::path& file, const Protection& protection) {
  const TimelineFormat format = format_of(file);
  AtomicFile out(file, timeline_kind(format), protection);
  const TimelineWindow window{0, 0, std::numeric_limits<double>::infinity(),
                              [](int /*rank*/) { return true; }};
  const auto text = make_timeline_text(
      format, [&](int rank) { return placement.node(rank); }, window);
  const auto posts = posts_of(timeline, static_cast<std::size_t>(placement.ranks()));
  out.write(text->head());
  auto first = timeline.phases.begin();
  for (int rank = 0; rank < placement.ranks(); ++rank) {
    out.write(text->begin_rank(rank));
    std::span<const PostSpan> left = posts[static_cast<std::size_t>(rank)];
    while (first != timeline.phases.end() && first->rank == rank) {
      const auto last = std::find_if(first, timeline.phases.end(), [&](const PhaseSpan& span) {
        return span.rank != rank || span.iteration != first->iteration;
      });
      const RecordedIteration recorded = as_recorded({first, last}, left, timeline, schedule);
      left = left.subspan(recorded.posts.size());
      out.write(text->iteration(first->iteration, recorded));
      first = last;
    }
  }
  out.write(text->tail());
  out.commit();
}

}  // namespace finegrain::replay
