// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "sim/replay/timeline.hpp"

namespace finegrain::report {

/// What a page draws of a timeline.
struct TimelineLimits {
  std::size_t ranks = 48;      ///< evenly spaced; of a schedule, half are those longest on the critical path
  std::size_t messages = 400;  ///< the largest of those between drawn ranks
  std::size_t links = 64;      ///< the busiest
  std::size_t spans = 4000;    ///< a program's regions: about how many the drawn window has
};

/// Phases and messages of some ranks, and how many there are of each in all.
nlohmann::json timeline_data(const replay::Timeline& timeline, const Schedule& schedule,
                             std::int64_t iterations, const TimelineLimits& limits = {});

/// The critical path: seconds by phase and kind, by rank, and each piece.
nlohmann::json critical_path_data(const replay::Timeline& timeline, const Schedule& schedule);

/// Links by the share of their bandwidth that was used, the busiest first; with several jobs, also the share
/// of each job. A node stands for the links of its network card, and has the share of the busiest one.
nlohmann::json links_data(std::span<const replay::LinkUse> links, double makespan_s,
                          const TimelineLimits& limits = {});

/// What some ranks of a program do in a window of time.
/// @param names  those of regions; what has another name is drawn as `other`
nlohmann::json program_timeline_data(const replay::ProgramTimeline& timeline, double from_s, double until_s,
                                     const std::vector<std::string>& names, const std::string& other,
                                     const TimelineLimits& limits = {});

/// The critical path of a program: seconds by function and kind and by rank of all of it, and each piece in a
/// window of time. @param names  as of program_timeline_data()
nlohmann::json program_path_data(const replay::ProgramTimeline& timeline, double from_s, double until_s,
                                 const std::vector<std::string>& names, const std::string& other);

}  // namespace finegrain::report
