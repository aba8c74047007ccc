// SPDX-License-Identifier: MIT
#include "sim/replay/timeline_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

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

/// A rank's posts, by where it posts them, and in the order of their starts. Connections are their tags.
using PostsOfRank = std::map<MessageSpan::Place, std::vector<PostSpan>>;

std::vector<PostsOfRank> posts_of(const Timeline& timeline, std::size_t ranks) {
  std::vector<PostsOfRank> posts(ranks);
  const auto add = [&](std::int32_t rank, TransferKind kind, std::int32_t peer, const MessageSpan& message,
                       const MessageSpan::Place& place, double start_s) {
    posts[static_cast<std::size_t>(rank)][place].push_back(
        {{.kind = kind, .peer = peer, .tag = message.connection, .size_bytes = std::llround(message.bytes)},
         start_s,
         std::max(start_s, message.end_s)});
  };
  for (const MessageSpan& message : timeline.messages) {
    const bool is_get = message.kind == TransferKind::get;
    add(is_get ? message.to : message.from, message.kind, is_get ? message.from : message.to, message,
        message.posted_in, message.start_s);
    if (message.kind == TransferKind::send)
      add(message.to, TransferKind::receive, message.from, message, message.received_in, message.expected_s);
  }
  for (PostsOfRank& of_rank : posts)
    for (auto& [place, of_place] : of_rank)
      std::ranges::stable_sort(of_place, {}, &PostSpan::start_s);
  return posts;
}

/// Its phases of one iteration and what it posts in them, in the form of a recording.
RecordedIteration as_recorded(std::span<const PhaseSpan> phases, const PostsOfRank& posts,
                              const Timeline& timeline, const Schedule& schedule) {
  RecordedIteration recorded;
  const auto rank = static_cast<std::size_t>(phases.front().rank);
  recorded.time = {ns(phases.front().start_s), ns(phases.back().end_s)};
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
    const auto posted = posts.find({span.iteration, span.phase});
    if (posted == posts.end()) continue;
    for (const PostSpan& post : posted->second) {
      recorded.body.add(post.post);
      recorded.posts.push_back({ns(post.start_s), ns(post.end_s)});
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
    while (first != timeline.phases.end() && first->rank == rank) {
      const auto last = std::find_if(first, timeline.phases.end(), [&](const PhaseSpan& span) {
        return span.rank != rank || span.iteration != first->iteration;
      });
      const RecordedIteration recorded =
          as_recorded({first, last}, posts[static_cast<std::size_t>(rank)], timeline, schedule);
      out.write(text->iteration(first->iteration, recorded));
      first = last;
    }
  }
  out.write(text->tail());
  out.commit();
}

}  // namespace finegrain::replay
