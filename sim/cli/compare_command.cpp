// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <list>
#include <memory>
#include <sstream>
#include <thread>

#include "kernels/problem/placement.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/energy_columns.hpp"
#include "sim/cli/jobs_on_nodes.hpp"
#include "sim/cli/preparation_table.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/provenance.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/cli/recorded_where.hpp"
#include "sim/cli/workload.hpp"
#include "sim/model/numbered_phase.hpp"
#include "sim/output/table.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/idle_ranks.hpp"
#include "sim/replay/replay.hpp"
#include "sim/report/answers.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/measurement.hpp"

namespace finegrain::cli {
namespace {

struct CompareFlags {
  std::string trace;
  std::vector<std::string> jobs_on_nodes;
  std::string pays_against;
  WorkloadOptions workload;
  PlatformOptions platform;
  ProgramOptions program;
  replay::ReplayOptions replay;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::string> files;
  bool force = false;
  std::string format = "table";
  std::string table = {};
};

/// The largest of the ranks' times in one phase, in seconds.
double slowest(const Schedule& schedule, const model::NumberedPhase& wanted, const auto& seconds_of_phase) {
  double slowest_s = 0;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const std::vector<model::NumberedPhase> phases = model::numbered(schedule.ranks[rank].regions);
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
      if (phases[phase] == wanted) slowest_s = std::max(slowest_s, seconds_of_phase(rank, phase));
    }
  }
  return slowest_s;
}

output::Cell milliseconds(std::optional<double> seconds) {
  return seconds ? output::Cell(*seconds * 1e3) : output::Cell();
}

/// (prediction - measurement) / measurement, in percent.
output::Cell error_percent(std::optional<double> predicted_s, double measured_s) {
  if (!predicted_s || measured_s <= 0) return {};
  return 100 * (*predicted_s - measured_s) / measured_s;
}

std::string platform_note(const platform::Platform& platform) {
  return fmt::format("platform {}: memory {:.3g} GB/s a node, {:.3g} a core",
                     platform.file.filename().string(), platform.costs.memory_bandwidth_bytes_per_s / 1e9,
                     platform.costs.memory_bandwidth_per_core_bytes_per_s / 1e9);
}

/// None if it needs counts and there are none, or there are no equations.
std::optional<model::Prediction> closed_form_of(const CompareFlags& options, const Run& run,
                                                const platform::PlatformCosts& costs,
                                                const problem::Placement& placement) {
  const auto pattern = pattern_of_trace(options.workload.problems, run, options.trace);
  return policy::predict(run, counts_of(pattern, run, placement), costs, model::ClosedForm::as_published,
                         &placement);
}

/// Joules of an iteration, simulated: of each phase, and of all with what is drawn idle.
void add_phase_energy(output::Table& table, const Schedule& schedule, const replay::ReplayResult& simulated) {
  if (!simulated.energy) return;
  const auto iterations = static_cast<double>(schedule.run.iterations);
  table.columns.push_back({"simulated_j", "sim. J", 6});
  std::size_t row = 0;
  for (const model::NumberedPhase& phase : model::numbered(schedule.ranks.front().regions))
    table.rows[row++].emplace_back(report::phase_joules(schedule, simulated, phase) / iterations);
  table.rows[row].emplace_back(simulated.energy->total_j / iterations);
}

/// One recorded run, phase by phase: measured | simulated | closed form.
output::Table compare_trace(const Trace& trace, const CompareFlags& options) {
  Schedule schedule = schedule_of(trace);
  const Manifest& manifest = trace.manifest();
  if (!options.workload.ranks.empty() && options.workload.ranks != std::vector<int>{schedule.run.ranks}) {
    throw InputError("--ranks",
                     fmt::format("the trace {} was recorded on {} and replays on the same number",
                                 options.trace, format_count(schedule.run.ranks, "rank")),
                     "Leave --ranks out");
  }
  schedule.run.ranks_per_node = options.workload.ranks_per_node.value_or(schedule.run.ranks_per_node);
  const std::vector<platform::Platform> platforms = read_platforms(options.platform);
  if (platforms.size() != 1)
    throw InputError("--platform", "a trace is compared with one platform, the one it ran on",
                     "Give one file");
  const platform::Platform& platform = platforms.front();
  check_cores({&schedule.run, 1}, platforms, options.platform);
  const graph::PlacementRule rule = placement_rule(options.workload);
  const problem::Placement placement = placement_by(rule, schedule, hops_on(platforms));
  warn_of_memory(schedule.run, {}, placement, platform);
  const std::optional<model::Prediction> closed_form =
      closed_form_of(options, schedule.run, platform.costs, placement);
  const Measurement measured = measure(trace);
  const replay::ReplayResult simulated = replay::replay(schedule, platform, options.replay, &placement);

  const auto iterations = static_cast<double>(schedule.run.iterations);
  const bool as_recorded =
      schedule.run.ranks_per_node == manifest.run.ranks_per_node && rule == graph::PlacementRule::block;
  const std::string not_there = elsewhere(manifest, platform.file);
  const bool judged = as_recorded && !manifest.oversubscribed && not_there.empty();
  output::Table table;
  table.name = "phases";
  table.title = fmt::format(
      "{}, {} x {}, {}: ms an iteration", describe(schedule.run), format_count(schedule.run.ranks, "rank"),
      format_count(schedule.run.threads_per_rank, "thread"),
      format_count(problem::Placement(schedule.run.ranks, schedule.run.ranks_per_node).nodes(), "node"));
  table.columns = {{"phase", "phase"},
                   {"measured_ms", "measured"},
                   {"simulated_ms", "simulated"},
                   {"closed_form_ms", "closed form"}};
  if (judged) {
    table.columns.insert(table.columns.end(), {{"simulated_error_percent", "sim. error %", 1},
                                               {"closed_form_error_percent", "c.f. error %", 1}});
  }
  const auto add_row = [&](std::string name, double measured_s, double simulated_s,
                           std::optional<double> closed_form_s) {
    std::vector<output::Cell>& row = table.rows.emplace_back(std::vector<output::Cell>{
        std::move(name), milliseconds(measured_s), milliseconds(simulated_s), milliseconds(closed_form_s)});
    if (judged)
      row.insert(row.end(),
                 {error_percent(simulated_s, measured_s), error_percent(closed_form_s, measured_s)});
  };
  for (const model::NumberedPhase& phase : model::numbered(schedule.ranks.front().regions)) {
    add_row(
        phase.name(),
        slowest(schedule, phase, [&](std::size_t rank, std::size_t p) { return measured.phases_s[rank][p]; }),
        slowest(
            schedule, phase,
            [&](std::size_t rank, std::size_t p) { return simulated.ranks[rank].phases_s[p] / iterations; }),
        closed_form ? phase_time_s(*closed_form, phase.region, phase.number) : std::nullopt);
  }
  add_row("iteration", measured.iteration_s, simulated.total_s / iterations,
          closed_form ? std::optional(closed_form->total_s) : std::nullopt);

  add_phase_energy(table, schedule, simulated);

  const auto cpu = manifest.environment.find("cpu");
  table.notes = {
      fmt::format("measured: {}; median of {} (iteration: first to last decile {} to {} ms)",
                  cpu == manifest.environment.end() ? "the recorded run" : cpu->second,
                  format_count(measured.iterations, "iteration"),
                  format_decimals(measured.iteration_low_s * 1e3, 3),
                  format_decimals(measured.iteration_high_s * 1e3, 3)),
      simulated_note(options.replay), closed_form_note, platform_note(platform),
      "A phase's time is its slowest rank's, so the phases need not add up to the iteration. Simulated, "
      "posting a "
      "receive costs nothing, and waiting for a message that has arrived costs nothing either."};
  if (!closed_form && policy::has_closed_form(schedule.run))
    table.notes.push_back("closed form: needs the matrix. Give --matrix to see it");
  for (std::string& gap : policy::closed_form_gaps(schedule.run))
    table.notes.push_back(std::move(gap));
  std::ranges::move(policy::idle_ranks_notes({&schedule.run, 1}), std::back_inserter(table.notes));
  std::ranges::move(oversubscription_notes({&schedule.run, 1}, platforms), std::back_inserter(table.notes));
  std::ranges::move(derived_notes({&schedule.run, 1}, options.platform), std::back_inserter(table.notes));
  std::ranges::move(energy_notes(platforms, options.replay.energy), std::back_inserter(table.notes));
  if (!not_there.empty()) table.notes.push_back(not_there);
  if (!as_recorded)
    table.notes.emplace_back("ranks on nodes: not as recorded, so the measured times enter no error figure");
  if (manifest.oversubscribed)
    table.notes.push_back(
        "oversubscribed: more ranks than cores, so the measured times enter no error figure");
  return table;
}

/// Runs that nobody made, on any machine: simulated | closed form; and their preparation.
std::vector<output::Table> compare_workload(const CompareFlags& options) {
  const std::vector<platform::Platform> platforms = read_platforms(options.platform);
  const Workload workload(options.workload, platforms);
  check_cores(workload.runs(), platforms, options.platform);
  std::vector<std::vector<pattern::RankCounts>> counts = workload.counts();
  std::vector<Schedule> schedules;
  std::vector<problem::Placement> placements;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Run& run = workload.runs()[i];
    placements.push_back(workload.place(run, counts[i]));
    schedules.push_back(workload.schedule(run, counts[i]));
  }
  std::vector<replay::ReplayJob> jobs;
  std::vector<std::optional<double>> closed_form_s;
  for (const platform::Platform& platform : platforms) {
    for (std::size_t i = 0; i < schedules.size(); ++i) {
      const Run& run = schedules[i].run;
      warn_of_memory(run, counts[i], placements[i], platform);
      jobs.push_back({.schedule = &schedules[i], .platform = &platform, .placement = &placements[i]});
      const std::optional<model::Prediction> closed_form =
          policy::predict(run, counts[i], platform.costs, model::ClosedForm::as_published, &placements[i]);
      closed_form_s.push_back(closed_form
                                  ? std::optional(static_cast<double>(run.iterations) * closed_form->total_s)
                                  : std::nullopt);
    }
  }
  Progress progress("simulating", jobs.size());
  const std::vector<replay::ReplayResult> simulated =
      replay_all(jobs, options.jobs, options.replay, [&](std::size_t finished) { progress.show(finished); });
  progress.clear();

  output::Table table;
  table.name = "totals";
  table.title = fmt::format("{}: seconds of {}", describe(workload.runs().front()),
                            format_count(options.workload.iterations, "iteration"));
  table.columns = {{"platform", "platform"},
                   {"nodes", "nodes"},
                   {"ranks", "ranks"},
                   {"measured_s", "measured"},
                   {"simulated_s", "simulated"},
                   {"closed_form_s", "closed form"},
                   {"simulated_over_closed_form", "sim./c.f.", 2}};
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const Run& run = jobs[job].schedule->run;
    table.rows.push_back(
        {jobs[job].platform->name, std::int64_t{problem::Placement(run.ranks, run.ranks_per_node).nodes()},
         std::int64_t{run.ranks}, output::Cell(), simulated[job].total_s,
         closed_form_s[job] ? output::Cell(*closed_form_s[job]) : output::Cell(),
         closed_form_s[job] ? output::Cell(simulated[job].total_s / *closed_form_s[job]) : output::Cell()});
  }
  std::vector<EnergyOfRow> energies;
  for (std::size_t job = 0; job < jobs.size(); ++job)
    energies.push_back({&simulated[job], jobs[job].schedule->run.iterations});
  add_energy(table, energies);
  const int most_on_a_node = std::ranges::max(workload.runs(), {}, &Run::ranks_per_node).ranks_per_node;
  const std::string on_nodes = fmt::format("at most {} a node", format_count(most_on_a_node, "rank"));
  table.notes = {fmt::format("{}; {}, {} a rank", workload.name(), on_nodes,
                             format_count(options.workload.threads_per_rank, "thread")),
                 "measured: nobody ran these", simulated_note(options.replay), closed_form_note};
  std::ranges::move(placement_notes(options.workload), std::back_inserter(table.notes));
  std::ranges::move(policy::idle_ranks_notes(workload.runs()), std::back_inserter(table.notes));
  std::ranges::move(oversubscription_notes(workload.runs(), platforms), std::back_inserter(table.notes));
  std::ranges::move(derived_notes(workload.runs(), options.platform), std::back_inserter(table.notes));
  for (std::string& gap : policy::closed_form_gaps(workload.runs().front()))
    table.notes.push_back(std::move(gap));
  for (const platform::Platform& platform : platforms)
    table.notes.push_back(platform_note(platform));
  std::ranges::move(energy_notes(platforms, options.replay.energy), std::back_inserter(table.notes));
  std::vector<output::Table> tables = {std::move(table)};
  if (!options.pays_against.empty())
    tables.push_back(
        preparation_table(workload, platforms, options.pays_against, options.replay, options.jobs));
  return tables;
}

output::Format format_of(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".csv") return output::Format::csv;
  if (ending == ".json") return output::Format::json;
  if (ending == ".txt") return output::Format::table;
  throw InputError("--write", fmt::format("{} ends in none of .csv, .json, .txt (which say how)", path),
                   "Rename it");
}

/// The names of the columns in a text that print() wrote, or nothing.
std::string_view columns_in(std::string_view text, output::Format format) {
  if (format == output::Format::json) return text.starts_with("[\n  {\n    \"name\": ") ? text : "";
  std::string_view line_before;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (format == output::Format::csv && !line.starts_with("# ")) return line;
    if (!line.empty() && line.find_first_not_of("- ") == std::string_view::npos) return line_before;
    line_before = line;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

FileKind comparison_kind(const std::string& path) {
  const output::Format format = format_of(path);
  return {"a comparison", {}, [format](std::string_view content) {
            const std::string_view columns = columns_in(content, format);
            const auto has = [&](const char* name) { return columns.find(name) != std::string_view::npos; };
            return (has("measured") && has("simulated") && has("closed")) ||
                   (has("alone") && has("together") && has("slow")) || (has("function") && has("measured")) ||
                   (has("preparation") && has("pays"));
          }};
}

/// A file that the table is to be written to.
struct Target {
  Target(const std::string& path, const Protection& protection)
      : format(format_of(path)), file(path, comparison_kind(path), protection) {}
  output::Format format;
  AtomicFile file;
};

std::vector<output::Table> compare(const CompareFlags& options) {
  if (!options.jobs_on_nodes.empty())
    return {
        compare_jobs(options.jobs_on_nodes, options.program, options.platform, options.replay, options.jobs)};
  if (options.trace.empty()) {
    refuse_program_options(options.program);
    return compare_workload(options);
  }
  const Trace trace(options.trace);
  if (!is_program(trace.manifest().run)) {
    refuse_program_options(options.program);
    return {compare_trace(trace, options)};
  }
  return compare_program(trace, options.trace, options.program, options.workload, options.platform,
                         options.replay, options.jobs);
}

void run(const CompareFlags& options) {
  const output::Format format = output::parse_format(options.format);
  // What cannot be written is said before anything is simulated.
  std::list<Target> targets;
  std::vector<std::string> traces;
  if (!options.trace.empty()) traces.push_back(options.trace);
  if (!options.program.compute_scale_from.empty()) traces.push_back(options.program.compute_scale_from);
  Protection protection{input_files(options.workload, options.platform, traces), options.force};
  std::ranges::move(files_of_jobs(options.jobs_on_nodes), std::back_inserter(protection.inputs));
  for (const std::string& path : options.files)
    targets.emplace_back(path, protection);
  const std::vector<output::Table> tables = output::chosen(compare(options), options.table);
  print(std::cout, tables, format);
  for (Target& target : targets) {
    std::ostringstream text;
    print(text, tables, target.format);
    target.file.write(text.str());
    target.file.commit();
  }
}

}  // namespace

void add_compare_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compare",
                                         "measured | simulated | closed form, side by side. With --trace: "
                                         "one recorded run on a platform, phase by\n"
                                         "phase; or a recorded MPI program of any kind, on any platforms. "
                                         "Without --trace: the same matrix or heat\n"
                                         "grid on any platforms and numbers of ranks, as totals.");
  const auto options = std::make_shared<CompareFlags>();
  CLI::Option* trace = command->add_option("--trace", options->trace,
                                           "Recorded run (see finegrain record): a folder, or a packed file");
  add_workload_options(*command, options->workload);
  command->add_option("--iterations", options->workload.iterations, "Iterations, where there is no trace")
      ->check(at_least_one())
      ->capture_default_str();
  CLI::Option* pays = command->add_option(
      "--pays-against", options->pays_against,
      fmt::format("Also what is done once before the first iteration (each rank tells the others which "
                  "elements it needs), and after how many iterations that has paid against this policy, "
                  "e.g. {}",
                  candidate_names().front()));
  exclude_run_options(*command, *trace, true);
  trace->excludes(pays);
  trace->excludes(command->get_option("--iterations"));
  add_platform_options(*command, options->platform);
  add_program_options(*command, options->program);
  add_one_flow_per_message(*command, options->replay);
  add_energy_options(*command, options->replay.energy);
  add_job_option(*command, options->jobs_on_nodes)->excludes(trace)->excludes(pays);
  command->add_option("-j,--jobs", options->jobs, "Simulations at the same time. Default: one a core")
      ->check(at_least_one());
  command
      ->add_option("--write", options->files,
                   "Also write the table to this .csv, .json or .txt file (repeatable)")
      ->allow_extra_args(false);
  add_force(*command, options->force);
  add_table_choice(*command, options->table, {"totals", "phases", "functions", "preparation", "jobs"});
  command->add_option("--format", options->format, "Output: table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command->footer(
      "Example: finegrain compare --trace trace --matrix heart.fgm --platform this-machine.xml\n"
      "         finegrain compare --matrix heart.fgm --ranks 16,64,256 --ranks-per-node 16 \\\n"
      "           --platform platforms/abel.xml,platforms/hdr_infiniband.xml\n"
      "         finegrain compare --platform abel --job '--heat 2000x4000 --ranks 32 --iterations "
      "100@nodes=0-1' \\\n"
      "           --job trace@nodes=2-3,offset=2ms\n"
      "         finegrain record --out trace -- mpirun -n 4 ./my_code its arguments\n"
      "         finegrain compare --trace trace --platform platforms/abel.xml,platforms/hdr_infiniband.xml");
  command->callback([options] { run(*options); });
}

}  // namespace finegrain::cli
