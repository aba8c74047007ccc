// SPDX-License-Identifier: MIT
#include "sim/report/timeline_data.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "sim/model/numbered_phase.hpp"
#include "sim/replay/path_waits.hpp"

namespace finegrain::report {
namespace {

std::string_view name_of(replay::PathPiece::Kind kind) {
  switch (kind) {
    case replay::PathPiece::Kind::busy:
      return "busy";
    case replay::PathPiece::Kind::transfer:
      return "message";
    case replay::PathPiece::Kind::barrier:
      return "barrier";
    case replay::PathPiece::Kind::other:
      return "other wait";
  }
  return "";
}

std::vector<std::pair<std::int32_t, double>> seconds_on_path(std::span<const replay::PathPiece> path) {
  std::map<std::int32_t, double> seconds;
  for (const replay::PathPiece& piece : path)
    seconds[piece.rank] += piece.end_s - piece.start_s;
  std::vector<std::pair<std::int32_t, double>> ranks(seconds.begin(), seconds.end());
  std::ranges::stable_sort(ranks, std::ranges::greater{}, &std::pair<std::int32_t, double>::second);
  return ranks;
}

/// The index of a rank's region among the names; the number of names if it is none of them.
std::ptrdiff_t place_of(const replay::ProgramTimeline& timeline, std::int32_t rank, std::int32_t region,
                        const std::vector<std::string>& names) {
  const std::vector<std::string>& regions = timeline.regions[static_cast<std::size_t>(rank)];
  return std::ranges::find(names, regions[static_cast<std::size_t>(region)]) - names.begin();
}

/// All ranks if they fit. Otherwise half of the drawn ranks are those longest on the critical path, and the
/// others are evenly spaced.
std::set<std::int32_t> drawn_ranks(const replay::Timeline& timeline, int ranks, std::size_t most) {
  const auto all = static_cast<std::size_t>(ranks);
  std::set<std::int32_t> drawn;
  if (all > most) {
    for (const auto& [rank, seconds] : seconds_on_path(timeline.critical_path))
      if (drawn.size() < most / 2) drawn.insert(rank);
  }
  const std::size_t evenly = std::min(all, most - drawn.size());
  for (std::size_t i = 0; i < evenly; ++i)
    drawn.insert(static_cast<std::int32_t>(i * all / evenly));
  return drawn;
}

constexpr std::size_t most_waits = 50;

/// Who waits for whom on a path.
nlohmann::json path_waits_data(std::span<const replay::PathPiece> path,
                               const std::function<std::string(std::int32_t, std::int32_t)>& name) {
  nlohmann::json data = nlohmann::json::array();
  std::vector<replay::PathWait> waits = replay::path_waits(path, name);
  waits.resize(std::min(waits.size(), most_waits));
  for (const replay::PathWait& wait : waits)
    data.push_back({{"place", wait.place},
                    {"awaited", wait.awaited},
                    {"rank", wait.longest_awaited_rank},
                    {"ranks", wait.awaited_ranks},
                    {"seconds", wait.waited_s}});
  return data;
}

}  // namespace

nlohmann::json timeline_data(const replay::Timeline& timeline, const Schedule& schedule,
                             std::int64_t iterations, const TimelineLimits& limits) {
  const std::set<std::int32_t> drawn = drawn_ranks(timeline, schedule.run.ranks, limits.ranks);
  nlohmann::json data = {{"iterations", iterations},
                         {"makespan_s", timeline.makespan_s},
                         {"ranks", drawn},
                         {"phases", nlohmann::json::array()},
                         {"spans", nlohmann::json::array()},
                         {"messages", nlohmann::json::array()},
                         {"all_messages", timeline.messages.size()}};
  for (const model::NumberedPhase& phase : model::numbered(schedule.ranks.front().regions))
    data["phases"].push_back({{"name", phase.name()}, {"kind", phase.region.text()}});
  for (const replay::PhaseSpan& span : timeline.phases)
    if (drawn.contains(span.rank))
      data["spans"].push_back({span.rank, span.phase, span.iteration, span.start_s, span.end_s});

  std::vector<const replay::MessageSpan*> messages;
  for (const replay::MessageSpan& message : timeline.messages)
    if (message.from != message.to && drawn.contains(message.from) && drawn.contains(message.to))
      messages.push_back(&message);
  std::ranges::stable_sort(messages, std::ranges::greater{}, &replay::MessageSpan::bytes);
  messages.resize(std::min(messages.size(), limits.messages));
  for (const replay::MessageSpan* message : messages)
    data["messages"].push_back(
        {message->from, message->to, message->bytes, message->start_s, message->end_s});
  return data;
}

nlohmann::json critical_path_data(const replay::Timeline& timeline, const Schedule& schedule) {
  nlohmann::json data = {{"makespan_s", timeline.makespan_s},
                         {"phases", nlohmann::json::array()},
                         {"ranks", seconds_on_path(timeline.critical_path)},
                         {"pieces", nlohmann::json::array()}};
  const std::vector<model::NumberedPhase> phases = model::numbered(schedule.ranks.front().regions);
  std::map<std::pair<std::int32_t, replay::PathPiece::Kind>, double> seconds;
  for (const replay::PathPiece& piece : timeline.critical_path) {
    seconds[{piece.phase, piece.kind}] += piece.end_s - piece.start_s;
    data["pieces"].push_back({name_of(piece.kind), piece.rank, piece.peer, piece.phase, piece.iteration,
                              piece.start_s, piece.end_s});
  }
  for (const auto& [key, time_s] : seconds) {
    const model::NumberedPhase& phase = phases[static_cast<std::size_t>(key.first)];
    data["phases"].push_back({{"name", phase.name()},
                              {"kind", phase.region.text()},
                              {"what", name_of(key.second)},
                              {"seconds", time_s}});
  }
  data["waits"] = path_waits_data(timeline.critical_path, [&](std::int32_t /*rank*/, std::int32_t phase) {
    return phases[static_cast<std::size_t>(phase)].name();
  });
  return data;
}

nlohmann::json program_path_data(const replay::ProgramTimeline& timeline, double from_s, double until_s,
                                 const std::vector<std::string>& names, const std::string& other) {
  nlohmann::json data = {{"makespan_s", timeline.makespan_s},
                         {"phases", nlohmann::json::array()},
                         {"ranks", seconds_on_path(timeline.critical_path)},
                         {"pieces", nlohmann::json::array()}};
  std::map<std::pair<std::ptrdiff_t, replay::PathPiece::Kind>, double> seconds;
  for (const replay::PathPiece& piece : timeline.critical_path) {
    const std::ptrdiff_t place = place_of(timeline, piece.rank, piece.phase, names);
    seconds[{place, piece.kind}] += piece.end_s - piece.start_s;
    if (piece.end_s <= from_s || piece.start_s >= until_s) continue;
    data["pieces"].push_back({name_of(piece.kind), piece.rank, piece.peer, place, 0,
                              std::max(piece.start_s, from_s), std::min(piece.end_s, until_s)});
  }
  for (const auto& [key, time_s] : seconds) {
    const std::string& name =
        key.first < std::ssize(names) ? names[static_cast<std::size_t>(key.first)] : other;
    data["phases"].push_back(
        {{"name", name}, {"kind", name}, {"what", name_of(key.second)}, {"seconds", time_s}});
  }
  data["waits"] = path_waits_data(timeline.critical_path, [&](std::int32_t rank, std::int32_t region) {
    return timeline.regions[static_cast<std::size_t>(rank)][static_cast<std::size_t>(region)];
  });
  return data;
}

nlohmann::json links_data(std::span<const replay::LinkUse> crossed, double makespan_s,
                          const TimelineLimits& limits) {
  const auto used = [&](const replay::LinkUse& link) {
    return link.bytes / (link.bandwidth_bytes_per_s * makespan_s);
  };
  std::vector<replay::LinkUse> links(crossed.begin(), crossed.end());
  std::ranges::stable_sort(links, std::ranges::greater{}, used);
  std::map<std::int32_t, double> busiest_of_node;
  for (const replay::LinkUse& link : links)
    if (link.node >= 0) busiest_of_node.emplace(link.node, used(link));

  nlohmann::json data = {{"makespan_s", makespan_s},
                         {"all_links", links.size()},
                         {"fabric_links", std::ranges::count(links, -1, &replay::LinkUse::node)},
                         {"nodes", busiest_of_node},
                         {"links", nlohmann::json::array()}};
  links.resize(std::min(links.size(), limits.links));
  for (const replay::LinkUse& link : links) {
    data["links"].push_back({{"name", link.name},
                             {"node", link.node},
                             {"bytes", link.bytes},
                             {"bandwidth_bytes_per_s", link.bandwidth_bytes_per_s},
                             {"used", used(link)}});
    for (const double bytes : link.bytes_of_groups)
      data["links"].back()["used_by_jobs"].push_back(bytes / (link.bandwidth_bytes_per_s * makespan_s));
  }
  return data;
}

nlohmann::json program_timeline_data(const replay::ProgramTimeline& timeline, double from_s, double until_s,
                                     const std::vector<std::string>& names, const std::string& other,
                                     const TimelineLimits& limits) {
  std::set<std::int32_t> drawn;
  const std::size_t ranks = timeline.regions.size();
  const std::size_t rows = std::min(ranks, limits.ranks);
  for (std::size_t row = 0; row < rows; ++row)
    drawn.insert(static_cast<std::int32_t>(row * ranks / rows));
  nlohmann::json data = {{"from_s", from_s},
                         {"until_s", until_s},
                         {"makespan_s", timeline.makespan_s},
                         {"ranks", drawn},
                         {"phases", nlohmann::json::array()},
                         {"spans", nlohmann::json::array()},
                         {"messages", nlohmann::json::array()},
                         {"all_messages", 0}};
  for (const std::string& name : names)
    data["phases"].push_back({{"name", name}, {"kind", name}});
  data["phases"].push_back({{"name", other}, {"kind", other}});
  for (const replay::RegionSpan& span : timeline.spans) {
    if (!drawn.contains(span.rank)) continue;
    data["spans"].push_back({span.rank, place_of(timeline, span.rank, span.region, names), 0,
                             std::max(span.start_s, from_s), std::min(span.end_s, until_s)});
  }
  return data;
}

}  // namespace finegrain::report
