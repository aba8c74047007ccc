// SPDX-License-Identifier: MIT
#include "sim/cli/study_progress.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <memory>

#include "sim/cli/progress.hpp"
#include "sim/policy/policy.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

/// Its program, then e.g. ", 64 ranks on 4 nodes, BLOCKSIZE 1024, abel memory_bandwidth=x2".
std::string describe_point(const study::StudyPoint& point) {
  std::string settings;
  if (!point.collective.empty()) settings = ", " + point.collective;
  if (point.run.policy == study::kind_of_jobs)
    return fmt::format("point {}: jobs of {} on {}{}", point.number, format_count(point.run.ranks, "rank"),
                       format_count(point.nodes, "node"), settings);
  if (!has_pattern(point.run)) {
    return fmt::format("point {}: {}, {}, {} a node ({}){}", point.number, describe(point.run),
                       format_count(point.run.ranks, "rank"), point.run.ranks_per_node,
                       to_string(point.placement), settings);
  }
  for (const pattern::Parameter& parameter : pattern::pattern_kind(point.run).parameters()) {
    if (parameter.is_axis && point.run.problem.settings.contains(parameter.name))
      settings += fmt::format(", {} {}", parameter.label, number_of(point.run.problem, parameter.name, 1));
  }
  for (const auto& setting : policy::settings_of(point.run))
    std::visit([&](const auto& given) { settings += fmt::format(", {} {}", setting.first, given); },
               setting.second);
  return fmt::format("point {}: {}, {}, {} a node ({}){}", point.number, describe(point.run),
                     format_count(point.run.ranks, "rank"), point.run.ranks_per_node,
                     to_string(point.placement), settings);
}

/// Seconds left, as long as what is left takes as the first did. On a terminal, Progress says so all the
/// time.
class Estimate {
 public:
  /// Logs it once, after the first are finished.
  void say(const char* what, std::size_t finished, std::size_t of) {
    constexpr double worth_saying_s = 2;
    if (said_ || finished == 0) return;
    said_ = true;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    const double left_s = spent.count() * static_cast<double>(of - finished) / static_cast<double>(finished);
    if (left_s >= worth_saying_s)
      spdlog::info("{}: {} of {} took {:.1f} s, so about {:.0f} s are left (an estimate)", what, finished, of,
                   spent.count(), left_s);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool said_ = false;
};

}  // namespace

study::StudyEvents study_progress() {
  const auto progress = std::make_shared<ProgressInTurn>();
  const auto to_do = std::make_shared<std::size_t>(0);
  study::StudyEvents events;
  events.repaired = [](const study::Damage& damage) {
    spdlog::warn("the database was damaged ({}); what is missing now is computed again", damage.text());
  };
  events.opened = [](std::int64_t points, std::int64_t infeasible, std::int64_t known) {
    spdlog::info("{} in the study; here {} cannot run, {} have their closed form already",
                 format_count(points, "point"), infeasible, known);
  };
  const auto of_closed_forms = std::make_shared<Estimate>();
  events.computing = [progress, of_closed_forms](std::size_t points, std::size_t layouts) {
    *of_closed_forms = Estimate();
    if (points == 0 || layouts == 0) return;
    spdlog::info("{} to compute; accesses are counted for {} layouts (ranks and BLOCKSIZE)",
                 format_count(points, "closed form"), layouts);
    progress->show("closed form", 0, points);
  };
  events.closed_forms = [progress, of_closed_forms](std::size_t finished, std::size_t of) {
    of_closed_forms->say("closed form", finished, of);
    progress->show("closed form", finished, of);
  };
  const auto of_simulations = std::make_shared<Estimate>();
  events.simulating = [to_do, progress, of_simulations](std::size_t missing, std::size_t known) {
    *to_do = missing;
    *of_simulations = Estimate();
    spdlog::info("{} to simulate; {} are simulated already", format_count(missing, "point"), known);
    if (missing > 0) progress->show("simulating", 0, missing);
  };
  events.simulated = [to_do, progress, of_simulations](const study::StudyPoint& point,
                                                       const study::Answer& answer, std::size_t finished) {
    if (!stderr_is_terminal()) {
      spdlog::info("{}/{} {}: {}", finished, *to_do, describe_point(point),
                   answer.total_s
                       ? fmt::format("{:.6g} s", *answer.total_s)
                       : (answer.interrupted ? "interrupted: " : "failed: ") + answer.none_because);
    }
    of_simulations->say("simulations", finished, *to_do);
    progress->show("simulating", finished, *to_do);
  };
  return events;
}

}  // namespace finegrain::cli
