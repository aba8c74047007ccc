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
#include "sim/report/formula_data.hpp"
#include "sim/report/rank_bars.hpp"
#include "sim/report/report_data.hpp"
#include "sim/report/timeline_data.hpp"

namespace finegrain::report {
namespace {

constexpr double least_share = 0.001;  ///< a share of the time; functions with less are summed up
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

/// What the ranks wait for, under the same names. Shape [ranks] each
using NamedWaits = replay::RegionWaits;

NamedWaits named_waits(const replay::ReplayResult& simulated, const std::vector<std::string>& names) {
  NamedWaits all;
  for (const auto& [name, ranks] : region_waits(simulated)) {
    std::vector<replay::Waits>& sums = all[std::ranges::find(names, name) != names.end() ? name : others];
    sums.resize(ranks.size());
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      sums[rank].add(ranks[rank]);
  }
  return all;
}

nlohmann::json mean_and_slowest(const std::vector<double>& ranks_s) {
  return {{"mean", replay::sum_over_ranks(ranks_s) / static_cast<double>(ranks_s.size())},
          {"slowest", std::ranges::max(ranks_s)}};
}

nlohmann::json answer_of(std::size_t job, double simulated_s, const ProgramSummary& all_measured,
                         const std::vector<RankTimes>& measured, const std::vector<RankTimes>& simulated,
                         const std::vector<RankTimes>& late, const NamedWaits& waits) {
  const bool is_measured = all_measured.not_measured.empty();
  nlohmann::json answer = {
      {"run", 0}, {"platform", job}, {"simulated_s", simulated_s}, {"phases", nlohmann::json::array()}};
  if (is_measured) answer["measured_s"] = all_measured.measured_s;
  for (std::size_t place = 0; place < measured.size(); ++place) {
    if (replay::sum_over_ranks(measured[place].ranks_s) + replay::sum_over_ranks(simulated[place].ranks_s) ==
        0)
      continue;
    answer["phases"].push_back({{"name", measured[place].name},
                                {"kind", measured[place].name},
                                {"simulated_s", mean_and_slowest(simulated[place].ranks_s)}});
    if (replay::sum_over_ranks(late[place].ranks_s) > 0)
      answer["phases"].back()["late_s"] = mean_and_slowest(late[place].ranks_s);
    if (const auto of_name = waits.find(measured[place].name); of_name != waits.end())
      answer["phases"].back()["waits"] = waits_data(of_name->second);
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
void add_timeline(nlohmann::json& data, const answer::Answer& answer, std::int64_t calls,
                  const replay::ReplayOptions& options, const std::vector<std::string>& names) {
  const double total_s = answer.simulated->total_s;
  const double all_spans = 2 * static_cast<double>(std::max<std::int64_t>(calls, 1));
  const double share = std::min(1.0, TimelineLimits().spans / all_spans);
  const double from_s = total_s * (1 - share) / 2;
  const bool has_path = calls <= most_calls_with_path;
  const replay::ProgramTimeline timeline =
      replay_program_timeline(answer.question.job, from_s, from_s + share * total_s, options,
                              has_path ? replay::WithPath::yes : replay::WithPath::no);
  if (has_path)
    data["critical_path"] = program_path_data(timeline, from_s, from_s + share * total_s, names, others);
  data["timeline"] = program_timeline_data(timeline, from_s, from_s + share * total_s, names, others);
  data["links"] = links_data(timeline.links, timeline.makespan_s);
}

/// The times of functions: measured, and of each answer, under the names that take long in any of them.
struct NamedTimes {
  std::vector<std::string> names;
  std::vector<RankTimes> measured;
  std::vector<std::vector<RankTimes>> simulated;  ///< each answer's
};

NamedTimes named_times(std::span<const answer::Answer> answers, const ProgramSummary& measured) {
  std::vector<Times> all = {times_of(measured)};
  for (const answer::Answer& answer : answers)
    all.push_back(region_seconds(*answer.simulated));
  const auto ranks = static_cast<std::size_t>(answers.front().run().ranks);
  NamedTimes times{.names = names_of(all), .measured = {}, .simulated = {}};
  times.measured =
      named(measured.not_measured.empty() ? all.front() : Times(), times.names, "measured", ranks);
  for (const Times& of_answer : std::span(all).subspan(1))
    times.simulated.push_back(named(of_answer, times.names, "simulated", ranks));
  return times;
}

}  // namespace

nlohmann::json overview_of_program(std::span<const answer::Answer> answers, const ProgramSummary& measured,
                                   const replay::ReplayOptions& options) {
  const NamedTimes times = named_times(answers, measured);
  const answer::Question& first = answers.front().question;
  const Run& run = answers.front().run();
  nlohmann::json data = {{"problem", describe(run)},
                         {"is_program", true},
                         {"trace", first.recording->trace},
                         {"network_model", network_model(options)},
                         {"focus", 0},
                         {"focus_platform", 0}};
  data["runs"].push_back(run_data(run, *first.job.placement));
  if (measured.not_measured.empty())
    data["runs"][0]["recorded"] = {{"trace", first.recording->trace},
                                   {"machine", first.recording->machine},
                                   {"iterations", 1},
                                   {"oversubscribed", first.recording->oversubscribed},
                                   {"elsewhere", first.recording->elsewhere}};
  for (std::size_t job = 0; job < answers.size(); ++job) {
    const replay::ReplayJob& here = answers[job].question.job;
    const replay::ReplayResult& simulated = *answers[job].simulated;
    data["platforms"].push_back(platform_data(*here.platform));
    nlohmann::json answer =
        answer_of(job, simulated.total_s, measured, times.measured, times.simulated[job],
                  named(region_late_seconds(simulated), times.names, "simulated", simulated.ranks.size()),
                  named_waits(simulated, times.names));
    add_interval(answer, answers[job], 1);
    if (simulated.energy) answer["energy"] = energy_of(simulated, times.names);
    if (here.schedule->run.ranks_per_node != run.ranks_per_node) {
      answer["run"] = data["runs"].size();
      data["runs"].push_back(run_data(here.schedule->run, *here.placement));
    }
    data["answers"].push_back(std::move(answer));
  }
  return data;
}

void add_ranks_of_program(nlohmann::json& data, std::span<const answer::Answer> answers,
                          const ProgramSummary& measured, const replay::ReplayOptions& options) {
  const replay::ReplayJob& focus = answers.front().question.job;
  const NamedTimes times = named_times(answers, measured);
  data["runs"][0]["nodes_of_ranks"] = nodes_of_ranks(*focus.placement);
  const graph::RankGraph graph = graph::rank_graph(*focus.programs, focus.decisions);
  data["communication"] = communication_of(graph);
  std::vector<RankTimes> bars = times.simulated.front();
  std::ranges::copy(times.measured, std::back_inserter(bars));
  std::erase_if(bars, [](const RankTimes& bar) { return replay::sum_over_ranks(bar.ranks_s) == 0; });
  data["rank_bars"] = rank_bars(bars, graph::traffic_of(graph, *focus.placement));
  if (replay::has_timeline(*focus.platform))
    add_timeline(data, answers.front(), measured.calls, options, times.names);
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
