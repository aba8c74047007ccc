// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "kernels/problem/placement.hpp"
#include "sim/answer/interval.hpp"
#include "sim/answer/quantities.hpp"
#include "sim/cli/answer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/compare_trace.hpp"
#include "sim/cli/energy_columns.hpp"
#include "sim/cli/evaluated.hpp"
#include "sim/cli/job_texts.hpp"
#include "sim/cli/jobs_comparison.hpp"
#include "sim/cli/noise_table.hpp"
#include "sim/cli/preparation_table.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/provenance.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/cli/recorded_where.hpp"
#include "sim/cli/resumed.hpp"
#include "sim/cli/workload.hpp"
#include "sim/model/numbered_phase.hpp"
#include "sim/output/json_tables.hpp"
#include "sim/output/table.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/idle_ranks.hpp"
#include "sim/replay/replay.hpp"
#include "sim/report/page.hpp"
#include "sim/report/report_data.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/measurement.hpp"

namespace finegrain::cli {
namespace {

struct CompareFlags {
  std::vector<std::string> traces;
  std::vector<std::string> jobs_on_nodes;
  std::string pays_against;
  WorkloadOptions workload;
  PlatformOptions platform;
  ProgramOptions program;
  NoiseOptions noise;
  replay::ReplayOptions replay;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::string> files;
  bool force = false;
  std::string format = "table";
  std::string table = {};
};

/// Runs that nobody made, on any machine: simulated | closed form; and their preparation.
Comparison compare_workload(const CompareFlags& options) {
  const std::vector<platform::Platform> platforms = read_platforms(options.platform);
  const Workload workload(options.workload, platforms);
  check_cores(workload, platforms, options.platform);
  std::vector<std::vector<pattern::RankCounts>> counts = workload.counts();
  std::vector<Schedule> schedules;
  std::vector<problem::Placement> placements;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Run& run = workload.runs()[i];
    placements.push_back(workload.place(run, counts[i]));
    schedules.push_back(workload.schedule(run, counts[i]));
  }
  std::vector<answer::Question> questions;
  for (const auto& [i, platform] : workload.by_platforms()) {
    warn_of_memory(schedules[i].run, counts[i], placements[i], platforms[platform]);
    questions.push_back(
        {.job = {.schedule = &schedules[i], .platform = &platforms[platform], .placement = &placements[i]},
         .closed_form = model::ClosedForm::as_published,
         .counts = counts[i]});
  }
  const std::vector<answer::Answer> answers = evaluate_with_progress(questions, options.jobs, options.replay);
  output::Table table = answer::table_of(answers, answer::compared_totals());
  table.name = "totals";
  table.title = fmt::format("{}: seconds of {}", describe(workload.runs().front()),
                            format_count(options.workload.iterations, "iteration"));
  table.notes = {fmt::format("{}; {} a rank", workload.name(),
                             format_count(options.workload.threads_per_rank, "thread")),
                 simulated_note(options.replay), closed_form_note};
  std::ranges::move(answer::interval_notes(answers), std::back_inserter(table.notes));
  std::ranges::copy(workload.notes(), std::back_inserter(table.notes));
  std::ranges::move(policy::idle_ranks_notes(workload.runs()), std::back_inserter(table.notes));
  std::ranges::move(oversubscription_notes(workload, platforms), std::back_inserter(table.notes));
  std::ranges::move(unlike_nodes_notes(platforms), std::back_inserter(table.notes));
  std::ranges::move(derived_notes(workload, options.platform), std::back_inserter(table.notes));
  for (std::string& gap : policy::closed_form_gaps(workload.runs().front()))
    table.notes.push_back(std::move(gap));
  for (const platform::Platform& platform : platforms)
    table.notes.push_back(platform_note(platform));
  std::ranges::move(energy_notes(platforms, options.replay.energy), std::back_inserter(table.notes));
  nlohmann::json page = report::overview_of(answers, report::largest_of(questions), options.replay);
  page["problem"] = workload.name();
  Comparison comparison{{std::move(table)}, report::text_of(page)};
  add_waits_table(comparison.tables, answers, options.program.waits, options.replay);
  if (!options.pays_against.empty())
    comparison.tables.push_back(
        preparation_table(workload, platforms, options.pays_against, options.replay, options.jobs));
  add_noise_table(comparison.tables, questions, options.noise, options.replay, options.jobs);
  return comparison;
}

output::Format format_of(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".csv") return output::Format::csv;
  if (ending == ".json") return output::Format::json;
  if (ending == ".txt") return output::Format::table;
  throw InputError("--write", fmt::format("{} ends in none of .csv, .json, .txt (which say how)", path),
                   "Rename it");
}

/// The names of the columns in a text that print() wrote, with other text in JSON and in tables, whose
/// headings may take several lines; or nothing.
std::string_view columns_in(std::string_view text, output::Format format) {
  if (format == output::Format::json) return text.starts_with("[\n  {\n    \"name\": ") ? text : "";
  const std::string_view all = text;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (format == output::Format::csv && !line.starts_with("# ")) return line;
    if (!line.empty() && line.find_first_not_of("- ") == std::string_view::npos) return all;
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

Comparison compare_recording(const std::string& name, const CompareFlags& options) {
  const Trace trace = open_trace(name, options.program.names);
  if (trace.knows_iterations()) {
    refuse_program_options(options.program);
    return compare_trace(trace, name, options.workload, options.platform, options.replay, options.jobs,
                         options.program.waits, options.noise);
  }
  return compare_program(trace, name, options.program, options.workload, options.platform, options.replay,
                         options.jobs, options.noise);
}

Comparison compare(const CompareFlags& options) {
  if (!options.jobs_on_nodes.empty())
    return {{compare_jobs(options.jobs_on_nodes, options.program, options.platform, options.replay,
                          options.jobs, options.noise)}};
  if (options.traces.empty()) {
    refuse_program_options(options.program);
    return compare_workload(options);
  }
  std::vector<Comparison> comparisons;
  for (const std::string& trace : options.traces)
    comparisons.push_back(compare_recording(trace, options));
  return together(options.traces, std::move(comparisons));
}

void run(const CompareFlags& options) {
  const output::Format format = output::parse_format(options.format);
  // What cannot be written is said before anything is simulated.
  std::list<Target> targets;
  std::vector<std::string> traces = options.traces;
  if (!options.program.compute_scale_from.empty()) traces.push_back(options.program.compute_scale_from);
  Protection protection{input_files(options.workload, options.platform, traces), options.force};
  std::ranges::move(files_of_jobs(options.jobs_on_nodes), std::back_inserter(protection.inputs));
  for (const std::string& path : options.files)
    targets.emplace_back(path, protection);
  Comparison compared = compare(options);
  const std::vector<output::Table> tables = output::chosen(std::move(compared.tables), options.table);
  if (format == output::Format::json) {
    output::print_json(std::cout, tables, compared.page);
  } else {
    print_answer(tables, options.table, format);
  }
  for (Target& target : targets) {
    std::ostringstream text;
    if (target.format == output::Format::json) {
      output::print_json(text, tables, compared.page);
    } else {
      print(text, tables, target.format);
    }
    target.file.write(text.str());
    target.file.commit();
  }
}

}  // namespace

void add_compare_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compare",
                                         "measured | simulated | closed form, side by side. With --trace: "
                                         "recorded runs on any platforms, as\n"
                                         "totals, and phase by phase or function by function. Without "
                                         "--trace: the same matrix or heat grid\n"
                                         "on any platforms and numbers of ranks, as totals.");
  const auto options = std::make_shared<CompareFlags>();
  CLI::Option* trace = command
                           ->add_option("--trace", options->traces,
                                        "Recorded run (see finegrain record): a folder, or a packed file "
                                        "(repeatable)")
                           ->allow_extra_args(false);
  add_workload_options(*command, options->workload);
  command->add_option("--iterations", options->workload.iterations, "Iterations, if there is no trace")
      ->check(at_least_one())
      ->capture_default_str();
  CLI::Option* pays = command->add_option(
      "--pays-against", options->pays_against,
      fmt::format("Also show the preparation before the first iteration (each rank tells the others which "
                  "elements it needs), and after how many iterations it pays off against this policy, e.g. "
                  "{}",
                  candidate_names().front()));
  exclude_run_options(*command, *trace, true);
  trace->excludes(pays);
  trace->excludes(command->get_option("--iterations"));
  add_platform_options(*command, options->platform);
  add_program_options(*command, options->program);
  command->add_flag(
      "--efficiency", options->program.efficiency,
      "Recorded program: also how much of the ranks' time is work, and what is lost to imbalance, "
      "to waiting for one another, and to the network: of the run, and of each function or place "
      "(docs/efficiency.md). Simulates each platform once more, with a network that costs nothing");
  add_waits_option(*command, options->program.waits);
  add_one_flow_per_message(*command, options->replay);
  add_resume(*command, options->replay);
  add_energy_options(*command, options->replay.energy);
  add_job_option(*command, options->jobs_on_nodes)->excludes(trace)->excludes(pays);
  add_noise_options(*command, options->noise);
  add_processes_option(*command, options->jobs);
  command
      ->add_option("--write", options->files,
                   "Also write the table to this .csv, .json or .txt file (repeatable)")
      ->allow_extra_args(false);
  add_force(*command, options->force);
  add_table_choice(*command, options->table,
                   {"totals", "phases", "functions", "waits", "contention", "efficiency", "regions",
                    "preparation", "jobs", "noise"});
  add_format_option(*command, options->format);
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
