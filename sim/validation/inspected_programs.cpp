// SPDX-License-Identifier: MIT
#include "sim/validation/inspected_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "sim/model/published.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/policy/policy.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::validation {
namespace {

constexpr int threads_of_node = 32;
constexpr int nodes = 8;
/// Guppie's table has 2^24 words for each of 128 threads, and there are as many updates. Only 16 windows of
/// them are simulated.
constexpr std::int64_t guppie_updates = std::int64_t{128} << 24;
constexpr std::int64_t guppie_simulated = 8192;

/// What is simulated of a benchmark.
struct Simulated {
  const char* benchmark;
  std::string size;  ///< empty: it depends on the number of threads
  const char* form;
  bool has_steps = false;
};

const std::array<Simulated, 3>& simulated_programs() {
  static const std::array<Simulated, 3> all{
      {{"sobel", "20000", "compact"}, {"guppie", "", "vector"}, {"fish", "16384", "compact", true}}};
  return all;
}

Schedule schedule_of(const Simulated& program, int threads) {
  const pattern::PatternKind& kind = pattern::pattern_kind(program.benchmark);
  Settings settings;
  std::string size = program.size;
  if (size.empty()) {
    size = fmt::format("{}", guppie_updates / threads);
    settings["references"] = guppie_simulated;
  }
  const auto pattern = kind.open(size, program.benchmark);
  return policy::make_schedule(*pattern, {.problem = pattern->problem(threads, settings),
                                          .policy = "inspector",
                                          .policy_settings = {{"form", std::string(program.form)}},
                                          .transfer = Transfer::get,
                                          .completion = Completion::together,
                                          .ranks = threads,
                                          .ranks_per_node = threads_of_node});
}

double between_nodes_s(const Simulated& program, const platform::Platform& network, int processes) {
  const Schedule few = schedule_of(program, threads_of_node);
  const Schedule many = schedule_of(program, nodes * threads_of_node);
  const std::vector<replay::ReplayJob> jobs{{.schedule = &few, .platform = &network},
                                            {.schedule = &many, .platform = &network}};
  const std::vector<replay::ReplayResult> results = replay_all(jobs, processes);
  const auto whole_s = [&](std::size_t job) {
    const std::int64_t simulated = guppie_simulated * jobs[job].schedule->run.ranks;
    const std::int64_t more = program.size.empty() ? guppie_updates / simulated : 1;
    return results[job].total_s * static_cast<double>(more);
  };
  return whole_s(1) - whole_s(0) / nodes;
}

}  // namespace

std::optional<double> InspectedProgram::said_s() const {
  if (!between_nodes_s) return std::nullopt;
  return eighth_s() + *between_nodes_s * steps.value_or(1);
}

std::vector<InspectedProgram> inspected_programs(const platform::Platform& network, int processes) {
  const model::TextTable table = model::published_text("inspector_executor_seconds");
  std::vector<InspectedProgram> programs;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto number = [&](const char* column) { return table.number_at(row, column).value(); };
    InspectedProgram& one =
        programs.emplace_back(InspectedProgram{.name = table.at(row, "benchmark"),
                                               .calls_s = number("upc_1_dynamic") - number("upc_1_static"),
                                               .few_s = number("upc_32"),
                                               .many_s = number("upc_256"),
                                               .between_nodes_s = {},
                                               .steps = {}});
    const auto& all = simulated_programs();
    const auto simulated = std::ranges::find(all, one.name, &Simulated::benchmark);
    if (simulated == all.end()) continue;
    one.between_nodes_s = between_nodes_s(*simulated, network, processes);
    if (simulated->has_steps)
      one.steps = static_cast<int>(std::lround((one.many_s - one.eighth_s()) / *one.between_nodes_s));
  }
  return programs;
}

output::Table inspected_programs_as_table(const std::vector<InspectedProgram>& programs,
                                          const std::string& network) {
  output::Table table;
  table.name = "inspected";
  table.title = "256 threads of the inspector-executor study (Alvanos et al. 2016, Table 2), input assumed";
  table.columns = {{"benchmark", "benchmark"},
                   {"calls_s", "calls, 1 thread", 1},
                   {"few_s", "32 threads", 1},
                   {"eighth_s", "an eighth", 2},
                   {"between_nodes_s", "between nodes", 4},
                   {"said_s", "256 threads, said", 2},
                   {"printed_s", "printed", 1},
                   {"off_percent", "off %", 1},
                   {"as", "as"}};
  for (const InspectedProgram& one : programs) {
    const std::optional<double> said_s = one.said_s();
    const auto cell = [](std::optional<double> value) {
      return value ? output::Cell(*value) : output::Cell();
    };
    table.rows.push_back({one.name, one.calls_s, one.few_s, one.eighth_s(), cell(one.between_nodes_s),
                          cell(said_s), one.many_s,
                          said_s ? output::Cell(100 * (*said_s / one.many_s - 1)) : output::Cell(),
                          std::string(!said_s     ? "excluded"
                                      : one.steps ? "fit"
                                                  : "assumed")});
  }
  const auto fish = std::ranges::find_if(programs, [](const auto& one) { return one.steps.has_value(); });
  table.notes = {
      fmt::format(
          "All in seconds. 32 threads are one node; an eighth of their time is what 256 threads take on 8 "
          "nodes without traffic between nodes. between nodes: simulated on {}, which is assumed, as the "
          "paper prints neither latency nor bandwidth: the time of 256 ranks on 8 nodes less an eighth of "
          "that of 32 ranks on one. No cell is scored.",
          network),
      "calls, 1 thread: dynamic minus static threads, which is the cost of calls of the runtime. It explains "
      "part of the time of 32 threads, and is not used.",
      fmt::format("sobel: an image of 20,000 x 20,000 pixels is assumed. guppie: 2^31 updates are assumed, "
                  "the paper's number on 128 threads; {} of each thread are simulated. fish: one time step "
                  "is simulated; the number of steps is not printed, and {} fit the printed time best.",
                  guppie_simulated, fish == programs.end() ? 0 : *fish->steps),
      "excluded: for wator the text says neither the size of the ocean nor what its random updates touch, "
      "for mcop neither the size of the table nor how it is distributed."};
  return table;
}

}  // namespace finegrain::validation
