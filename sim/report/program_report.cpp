// SPDX-License-Identifier: MIT
#include "sim/report/program_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "sim/collectives/decisions.hpp"
#include "sim/graph/rank_graph.hpp"
#include "sim/report/answers.hpp"
#include "sim/report/communication.hpp"
#include "sim/report/rank_bars.hpp"
#include "sim/report/timeline_data.hpp"

namespace finegrain::report {
namespace {

constexpr double least_share = 0.001;  ///< of the time; functions with less are summed up
constexpr const char* others = "other functions";
constexpr const char* compute = "compute";

/// Seconds by function; "compute" is the time between functions.
using Times = replay::RegionSeconds;

Times times_of(const ProgramSummary& measured) {
  Times times;
  times[compute] = measured.work_of_ranks_s;
  if (measured.lost_s > 0) times["waiting for a core"] = measured.lost_of_ranks_s;
  for (const FunctionSummary& function : measured.functions)
    times[std::string(function.name.text())] = function.ranks_s;
  return times;
}

/// "compute", and then the functions that take long, measured or in any simulation, the longest first.
std::vector<std::string> names_of(const std::vector<Times>& all) {
  std::map<std::string, double> shares;
  for (const Times& times : all) {
    double total = 0;
    for (const auto& [name, ranks_s] : times)
      total += replay::sum_over_ranks(ranks_s);
    for (const auto& [name, ranks_s] : times)
      if (total > 0) shares[name] = std::max(shares[name], replay::sum_over_ranks(ranks_s) / total);
  }
  std::vector<std::string> names;
  for (const auto& [name, share] : shares)
    if (name != compute && share >= least_share) names.push_back(name);
  std::ranges::stable_sort(names, std::ranges::greater(),
                           [&](const std::string& name) { return shares.at(name); });
  names.insert(names.begin(), compute);
  return names;
}

/// The times under these names, and last the sum of all others. Shape [names + 1][ranks]
std::vector<RankTimes> named(const Times& times, const std::vector<std::string>& names, const char* source,
                             std::size_t ranks) {
  std::vector<RankTimes> result;
  for (const std::string& name : names)
    result.push_back({source, name, std::vector<double>(ranks, 0)});
  result.push_back({source, others, std::vector<double>(ranks, 0)});
  for (const auto& [name, ranks_s] : times) {
    const auto place = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    for (std::size_t rank = 0; rank < ranks_s.size(); ++rank)
      result[place].ranks_s[rank] += ranks_s[rank];
  }
  return result;
}

nlohmann::json mean_and_slowest(const std::vector<double>& ranks_s) {
  return {{"mean", replay::sum_over_ranks(ranks_s) / static_cast<double>(ranks_s.size())},
          {"slowest", std::ranges::max(ranks_s)}};
}

nlohmann::json answer_of(const ProgramReportInput& input, std::size_t job, double simulated_s,
                         const std::vector<RankTimes>& measured, const std::vector<RankTimes>& simulated) {
  const bool is_measured = input.measured.not_measured.empty();
  nlohmann::json answer = {
      {"run", 0}, {"platform", job}, {"simulated_s", simulated_s}, {"phases", nlohmann::json::array()}};
  if (is_measured) answer["measured_s"] = input.measured.measured_s;
  for (std::size_t place = 0; place < measured.size(); ++place) {
    if (replay::sum_over_ranks(measured[place].ranks_s) + replay::sum_over_ranks(simulated[place].ranks_s) ==
        0)
      continue;
    answer["phases"].push_back({{"name", measured[place].name},
                                {"kind", measured[place].name},
                                {"simulated_s", mean_and_slowest(simulated[place].ranks_s)}});
    if (is_measured) answer["phases"].back()["measured_s"] = mean_and_slowest(measured[place].ranks_s);
  }
  return answer;
}

/// Joules of the whole program, by the functions that take long.
nlohmann::json energy_of(const replay::ReplayResult& simulated, const std::vector<std::string>& names) {
  nlohmann::json energy = energy_data(simulated, 1);
  const replay::RegionJoules joules = region_joules(simulated);
  double of_others = 0;
  for (const auto& [name, ranks_j] : joules)
    if (std::ranges::find(names, name) == names.end()) of_others += replay::sum_over_ranks(ranks_j);
  for (const std::string& name : names)
    if (joules.contains(name))
      energy["phases"].push_back({{"name", name}, {"joules", replay::sum_over_ranks(joules.at(name))}});
  if (of_others > 0) energy["phases"].push_back({{"name", others}, {"joules", of_others}});
  return energy;
}

/// With more calls, there is no critical path, because it would need too much memory: 500 bytes a call.
constexpr std::int64_t most_calls_with_path = 1'000'000;

/// Adds a timeline of the middle of a run, of which about TimelineLimits::spans spans are drawn.
void add_timeline(nlohmann::json& data, const ProgramReportInput& input, double total_s,
                  const std::vector<std::string>& names) {
  const double all_spans = 2 * static_cast<double>(std::max<std::int64_t>(input.measured.calls, 1));
  const double share = std::min(1.0, TimelineLimits().spans / all_spans);
  const double from_s = total_s * (1 - share) / 2;
  const bool has_path = input.measured.calls <= most_calls_with_path;
  const replay::ProgramTimeline timeline =
      replay_program_timeline(input.jobs.front(), from_s, from_s + share * total_s, input.replay,
                              has_path ? replay::WithPath::yes : replay::WithPath::no);
  if (has_path)
    data["critical_path"] = program_path_data(timeline, from_s, from_s + share * total_s, names, others);
  data["timeline"] = program_timeline_data(timeline, from_s, from_s + share * total_s, names, others);
  data["links"] = links_data(timeline.links, timeline.makespan_s);
}

}  // namespace

nlohmann::json program_report_data(const ProgramReportInput& input,
                                   const std::function<void(std::size_t, std::size_t)>& simulated) {
  replay::ReplayOptions with_means = input.replay;
  with_means.compares_mean_times = true;
  const std::vector<replay::ReplayResult> results =
      replay_all(input.jobs, input.processes, with_means,
                 [&](std::size_t finished) { simulated(finished, input.jobs.size()); });
  std::vector<std::string> notes = input.notes;
  for (std::size_t job = 0; job < results.size(); ++job) {
    for (const replay::FoldedLoop& loop : results[job].loops)
      notes.push_back(fmt::format("{}: {}", input.jobs[job].platform->name, describe(loop)));
    if (const std::string variation = describe_variation(results[job]); !variation.empty())
      notes.push_back(fmt::format("{}: {}", input.jobs[job].platform->name, variation));
    if (const std::string wildcards = describe_wildcards(results[job]); !wildcards.empty())
      notes.push_back(fmt::format("{}: {}", input.jobs[job].platform->name, wildcards));
  }
  if (results.front().early_end.ranks > 0)
    notes.push_back(describe(results.front().early_end, results.front().total_s));
  std::vector<Times> all = {times_of(input.measured)};
  for (const replay::ReplayResult& result : results)
    all.push_back(region_seconds(result));
  const std::vector<std::string> names = names_of(all);

  const replay::ReplayJob& focus = input.jobs.front();
  const Run& run = focus.schedule->run;
  const auto ranks = static_cast<std::size_t>(run.ranks);
  nlohmann::json data = {{"problem", describe(run)},
                         {"is_program", true},
                         {"trace", input.trace},
                         {"network_model", network_model(input.replay)},
                         {"focus", 0},
                         {"focus_platform", 0},
                         {"notes", notes}};
  data["runs"].push_back(run_data(run, *focus.placement));
  const bool is_measured = input.measured.not_measured.empty();
  if (is_measured)
    data["runs"][0]["recorded"] = {{"trace", input.trace},
                                   {"machine", input.machine},
                                   {"iterations", 1},
                                   {"oversubscribed", input.oversubscribed},
                                   {"elsewhere", "recorded once, so no errors are shown"}};
  const std::vector<RankTimes> measured =
      named(is_measured ? all.front() : Times(), names, "measured", ranks);
  for (std::size_t job = 0; job < input.jobs.size(); ++job) {
    data["platforms"].push_back(platform_data(*input.jobs[job].platform));
    nlohmann::json answer =
        answer_of(input, job, results[job].total_s, measured, named(all[job + 1], names, "simulated", ranks));
    if (results[job].energy) answer["energy"] = energy_of(results[job], names);
    if (const Run& there = input.jobs[job].schedule->run; there.ranks_per_node != run.ranks_per_node) {
      answer["run"] = data["runs"].size();
      data["runs"].push_back(run_data(there, *input.jobs[job].placement));
    }
    data["answers"].push_back(std::move(answer));
  }
  if (!input.draws_ranks) return data;
  const graph::RankGraph graph = graph::rank_graph(*focus.programs, focus.decisions);
  data["communication"] = communication_of(graph);
  std::vector<RankTimes> bars = named(all[1], names, "simulated", ranks);
  std::ranges::copy(measured, std::back_inserter(bars));
  std::erase_if(bars, [](const RankTimes& times) { return replay::sum_over_ranks(times.ranks_s) == 0; });
  data["rank_bars"] = rank_bars(bars, graph::traffic_of(graph, *focus.placement));
  if (!focus.platform->changes_over_time) add_timeline(data, input, results.front().total_s, names);
  return data;
}

namespace {

/// Notes that all pages have once; before each other note, whose it is.
std::vector<std::string> joined_notes(const std::vector<nlohmann::json>& pages) {
  std::map<std::string, std::size_t> counts;
  for (const nlohmann::json& page : pages)
    for (const std::string& note : page["notes"].get<std::set<std::string>>())
      ++counts[note];
  std::vector<std::string> joined;
  for (const nlohmann::json& page : pages) {
    for (const auto& text : page["notes"]) {
      const auto note = text.get<std::string>();
      const std::string said =
          counts[note] == pages.size() ? note : fmt::format("{}: {}", page["trace"].get<std::string>(), note);
      if (std::ranges::find(joined, said) == joined.end()) joined.push_back(said);
    }
  }
  return joined;
}

}  // namespace

nlohmann::json data_of_recordings(std::vector<nlohmann::json> pages, std::size_t focus) {
  std::vector<std::size_t> order(pages.size());
  std::iota(order.begin(), order.end(), 0);
  const auto ranks_of = [&](std::size_t page) { return pages[page]["runs"][0]["ranks"].get<int>(); };
  std::ranges::stable_sort(order, {}, ranks_of);
  nlohmann::json data = pages[focus];
  data["runs"] = nlohmann::json::array();
  data["answers"] = nlohmann::json::array();
  std::vector<nlohmann::json> sorted;
  for (std::size_t run = 0; run < order.size(); ++run) {
    nlohmann::json& page = pages[order[run]];
    if (order[run] == focus) data["focus"] = run;
    data["runs"].push_back(page["runs"][0]);
    for (nlohmann::json answer : page["answers"]) {
      answer["run"] = run;
      data["answers"].push_back(std::move(answer));
    }
    sorted.push_back(std::move(page));
  }
  data["notes"] = joined_notes(sorted);
  return data;
}

}  // namespace finegrain::report
