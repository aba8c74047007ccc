// SPDX-License-Identifier: MIT
#include "sim/report/jobs_report.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/report/report_data.hpp"

namespace finegrain::report {
namespace {

constexpr std::size_t most_region_names = 12;  ///< the regions with less time share one name
constexpr const char* shorter_regions = "others";

/// A rank that is drawn.
struct Row {
  std::size_t job;
  int rank;            ///< its number in the job
  std::int32_t place;  ///< among the ranks of all jobs
};

/// Every job has the same number of rows, evenly spaced among its ranks, or all its ranks if they are fewer.
std::vector<Row> drawn_rows(std::span<const replay::SharedJob> jobs, std::size_t most) {
  const std::size_t most_of_job = std::max<std::size_t>(1, most / jobs.size());
  std::vector<Row> rows;
  std::size_t first = 0;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const auto ranks = static_cast<std::size_t>(jobs[job].job.schedule->run.ranks);
    const std::size_t drawn = std::min(ranks, most_of_job);
    for (std::size_t row = 0; row < drawn; ++row) {
      const std::size_t rank = row * ranks / drawn;
      rows.push_back({job, static_cast<int>(rank), static_cast<std::int32_t>(first + rank)});
    }
    first += ranks;
  }
  return rows;
}

/// How many regions the drawn ranks go through in all their iterations.
double regions_of(std::span<const replay::SharedJob> jobs, const std::vector<Row>& rows) {
  double regions = 0;
  for (const Row& row : rows) {
    const replay::ReplayJob& job = jobs[row.job].job;
    const SchedulePrograms of_schedule(*job.schedule);
    const Programs& programs = job.programs != nullptr ? *job.programs : of_schedule;
    const std::unique_ptr<ProgramCursor> cursor = programs.rank(row.rank);
    while (const Loop* loop = cursor->next())
      regions += static_cast<double>(loop->count) * static_cast<double>(loop->body->regions.size());
  }
  return regions;
}

struct Window {
  double from_s;
  double until_s;
};

/// A window of this length before `end_s`. If possible, the moment when the last job begins is in its middle.
Window window_of(const JobsReportInput& input, double length_s, double end_s) {
  if (length_s >= end_s) return {0, end_s};
  const double last_start_s =
      std::ranges::max(input.jobs, {}, [](const replay::SharedJob& job) { return job.start_s; }).start_s;
  const double from_s = std::clamp(last_start_s - length_s / 2, 0.0, end_s - length_s);
  return {from_s, from_s + length_s};
}

/// The spans of drawn ranks that lie in a window, at least in part.
std::vector<replay::RegionSpan> spans_in(const std::vector<replay::RegionSpan>& spans, const Window& window,
                                         const std::map<std::int32_t, std::size_t>& row_of) {
  std::vector<replay::RegionSpan> found;
  std::ranges::copy_if(spans, std::back_inserter(found), [&](const replay::RegionSpan& span) {
    return row_of.contains(span.rank) && span.start_s < window.until_s && span.end_s > window.from_s;
  });
  return found;
}

/// The names of the regions in which the drawn ranks spend most time, the longest first.
std::vector<std::string> names_of(const std::vector<std::string>& names_of_spans,
                                  const std::vector<replay::RegionSpan>& spans) {
  std::map<std::string, double> seconds;
  for (std::size_t span = 0; span < spans.size(); ++span)
    seconds[names_of_spans[span]] += spans[span].end_s - spans[span].start_s;
  std::vector<std::string> names;
  for (const auto& [name, time_s] : seconds)
    names.push_back(name);
  std::ranges::stable_sort(names, std::ranges::greater(),
                           [&](const std::string& name) { return seconds.at(name); });
  names.resize(std::min(names.size(), most_region_names));
  return names;
}

void add_timeline(nlohmann::json& data, const JobsReportInput& input, double end_s,
                  const TimelineLimits& limits) {
  const std::vector<Row> rows = drawn_rows(input.jobs, limits.ranks);
  std::map<std::int32_t, std::size_t> row_of;
  for (const Row& row : rows)
    row_of.emplace(row.place, row_of.size());
  // Regions are not equally dense everywhere, so the window is shortened until it has few enough.
  const auto most = static_cast<double>(limits.spans);
  double length_s = end_s * std::min(1.0, most / std::max(1.0, regions_of(input.jobs, rows)));
  Window window = window_of(input, length_s, end_s);
  const replay::ProgramTimeline timeline =
      replay_timeline_side_by_side(input.jobs, window.from_s, window.until_s, input.replay);
  std::vector<replay::RegionSpan> spans = spans_in(timeline.spans, window, row_of);
  while (spans.size() > limits.spans + rows.size()) {
    window = window_of(input, length_s *= 0.8, end_s);
    spans = spans_in(spans, window, row_of);
  }
  std::vector<std::string> names_of_spans;
  for (const replay::RegionSpan& span : spans)
    names_of_spans.push_back(
        timeline.regions[static_cast<std::size_t>(span.rank)][static_cast<std::size_t>(span.region)]);
  std::vector<std::string> names = names_of(names_of_spans, spans);
  names.emplace_back(shorter_regions);
  nlohmann::json& drawn =
      data["timeline"] = {{"from_s", window.from_s},           {"until_s", window.until_s},
                          {"makespan_s", timeline.makespan_s}, {"rows", nlohmann::json::array()},
                          {"phases", nlohmann::json::array()}, {"spans", nlohmann::json::array()}};
  for (const Row& row : rows)
    drawn["rows"].push_back({row.job, row.rank});
  for (const std::string& name : names)
    drawn["phases"].push_back({{"name", name}, {"kind", name}});
  for (std::size_t span = 0; span < spans.size(); ++span) {
    const auto phase =
        std::min(std::ranges::find(names, names_of_spans[span]) - names.begin(), std::ssize(names) - 1);
    drawn["spans"].push_back({row_of.at(spans[span].rank), phase,
                              std::max(spans[span].start_s, window.from_s),
                              std::min(spans[span].end_s, window.until_s)});
  }
  data["links"] = links_data(timeline.links, timeline.makespan_s, limits);
}

}  // namespace

nlohmann::json jobs_report_data(const JobsReportInput& input, const TimelineLimits& limits) {
  const platform::Platform& platform = *input.jobs.front().job.platform;
  nlohmann::json data = {{"jobs", nlohmann::json::array()},
                         {"platforms", nlohmann::json::array({platform_data(platform)})},
                         {"network_model", network_model(input.replay)},
                         {"notes", input.notes}};
  if (const std::string kept = answer::describe_kept_tasks(input.answers); !kept.empty())
    data["notes"].push_back(kept);
  double end_s = 0;
  for (std::size_t j = 0; j < input.jobs.size(); ++j) {
    const answer::Answer& answer = input.answers[j];
    const replay::SharedJobTimes& times = *answer.beside_others;
    data["jobs"].push_back({{"name", describe(answer.run())},
                            {"nodes", input.nodes[j]},
                            {"ranks", answer.run().ranks},
                            {"start_s", input.jobs[j].start_s},
                            {"alone_s", times.alone_s},
                            {"together_s", times.together_s}});
    end_s = std::max(end_s, input.jobs[j].start_s + times.together_s);
  }
  if (replay::has_timeline(platform)) add_timeline(data, input, end_s, limits);
  return data;
}

}  // namespace finegrain::report
