// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "kernels/problem/placement.hpp"
#include "sim/answer/quantities.hpp"
#include "sim/cli/answer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/explained_run.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/provenance.hpp"
#include "sim/cli/workload.hpp"
#include "sim/model/numbered_phase.hpp"
#include "sim/output/table.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/idle_ranks.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

struct PredictFlags {
  WorkloadOptions workload;
  PlatformOptions platforms;
  std::string variant = "as_published";
  bool per_phase = false;
  bool per_rank = false;
  bool explain = false;
  ExplainedRank explained;
  std::string table = {};
  std::string format = "table";
};

output::Table table_of_phases(const std::vector<answer::Answer>& answers) {
  output::Table table{.title = "",
                      .columns = {{"platform", "platform"},
                                  {"ranks", "ranks"},
                                  {"phase", "phase"},
                                  {"closed_form_s", "closed form"}},
                      .rows = {},
                      .notes = {"Phases of the node and the rank that decide the total: they add up to it."}};
  for (const answer::Answer& answer : answers) {
    const std::string& platform = answer.question.job.platform->name;
    const Run& run = answer.run();
    const std::optional<model::Prediction>& prediction = answer.closed_form;
    if (!prediction) {
      table.rows.push_back({platform, std::int64_t{run.ranks}, {}, {}});
      continue;
    }
    const std::vector<model::NumberedPhase> phases = numbered(prediction->phases);
    for (std::size_t p = 0; p < phases.size(); ++p) {
      table.rows.push_back({platform, std::int64_t{run.ranks}, phases[p].name(),
                            static_cast<double>(run.iterations) * prediction->phases[p].time_s});
    }
  }
  return table;
}

output::Table table_of_ranks(const std::vector<answer::Answer>& answers) {
  output::Table table{.title = "",
                      .columns = {{"platform", "platform"}, {"ranks", "ranks"}, {"rank", "rank"}},
                      .rows = {},
                      .notes = {"local, remote: communication within the node, and between nodes."}};
  // All runs are of one program, so that their parts are the same.
  const std::vector<model::PartPrediction> parts =
      answers.front().closed_form ? answers.front().closed_form->parts : std::vector<model::PartPrediction>();
  for (const model::PartPrediction& part : parts)
    table.columns.push_back({part.part + "_s", part.part, 3, output::Origin::closed_form});
  for (const answer::Answer& answer : answers) {
    const std::string& platform = answer.question.job.platform->name;
    const Run& run = answer.run();
    const std::optional<model::Prediction>& prediction = answer.closed_form;
    if (!prediction) {
      table.rows.push_back({platform, std::int64_t{run.ranks}, {}});
      continue;
    }
    for (std::int64_t rank = 0; rank < run.ranks; ++rank) {
      std::vector<output::Cell>& row = table.rows.emplace_back();
      row = {platform, std::int64_t{run.ranks}, rank};
      for (const model::PartPrediction& part : prediction->parts)
        row.emplace_back(static_cast<double>(run.iterations) * part.ranks_s[static_cast<std::size_t>(rank)]);
    }
  }
  return table;
}

/// Where the runs are, for tables that have no columns for it.
std::vector<std::string> notes_of_nodes(const std::vector<answer::Answer>& answers) {
  std::vector<std::string> notes;
  for (const answer::Answer& answer : answers)
    notes.push_back(fmt::format("{}: {} on {}, at most {} on each.", answer.question.job.platform->name,
                                format_count(answer.run().ranks, "rank"),
                                format_count(answer.question.job.placement->nodes(), "node"),
                                answer.run().ranks_per_node));
  return notes;
}

/// One table, of one row for each run, phase or rank.
output::Table table_of_answers(const PredictFlags& options, const std::vector<answer::Answer>& answers) {
  const Run& run = answers.front().run();
  output::Table table =
      options.per_rank ? table_of_ranks(answers)
      : options.per_phase
          ? table_of_phases(answers)
          : answer::table_of(
                answers, {{"platform", "ranks", "nodes", "block_size", "closed_form_s", "ranks_per_node"}});
  table.title = fmt::format("{}: closed form {}, seconds of {}", describe(run), options.variant,
                            format_count(run.iterations, "iteration"));
  return table;
}

void check_one_run(std::size_t platforms, std::size_t runs) {
  if (platforms != 1) throw InputError("--platform", "one machine is explained at a time", "Give one file");
  if (runs != 1) throw InputError("--ranks", "one run is explained at a time", "Give one number");
}

void run_predict(const PredictFlags& options) {
  const output::Format format = output::parse_format(options.format);
  const model::ClosedForm form = model::parse_closed_form(options.variant);
  const std::vector<platform::Platform> platforms = read_platforms(options.platforms);
  const Workload workload(options.workload, platforms);
  check_cores(workload, platforms, options.platforms);
  if (options.explain) check_one_run(platforms.size(), workload.runs().size());
  std::vector<std::vector<pattern::RankCounts>> counts = workload.counts();
  std::vector<problem::Placement> placements;
  std::vector<Schedule> runs;  // without bodies
  for (std::size_t i = 0; i < counts.size(); ++i) {
    placements.push_back(workload.place(workload.runs()[i], counts[i]));
    runs.push_back({workload.runs()[i], {}});
  }
  std::vector<answer::Question> questions;
  for (const auto& [i, platform] : workload.by_ranks())
    questions.push_back(
        {.job = {.schedule = &runs[i], .platform = &platforms[platform], .placement = &placements[i]},
         .simulation = false,
         .closed_form = form,
         .counts = counts[i]});
  const std::vector<answer::Answer> answers = answer::evaluate(questions, 1, {});

  std::vector<output::Table> tables = options.explain
                                          ? explained_run(answers.front(), form, options.explained)
                                          : std::vector{table_of_answers(options, answers)};
  std::vector<std::string>& notes = tables.back().notes;
  if (!options.explain) notes.push_back(workload.name() + ".");
  std::ranges::copy(workload.notes(), std::back_inserter(notes));
  if (options.per_rank || options.per_phase)
    std::ranges::move(notes_of_nodes(answers), std::back_inserter(notes));
  std::ranges::move(policy::idle_ranks_notes(workload.runs()), std::back_inserter(notes));
  std::ranges::move(oversubscription_notes(workload, platforms), std::back_inserter(notes));
  std::ranges::move(unlike_nodes_notes(platforms), std::back_inserter(notes));
  std::ranges::move(derived_notes(workload, options.platforms), std::back_inserter(notes));
  for (std::string& gap : policy::closed_form_gaps(workload.runs().front()))
    notes.push_back(std::move(gap));
  notes.emplace_back(equations_note);
  print_answer(output::chosen(std::move(tables), options.table), options.table, format);
}

}  // namespace

void add_predict_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "predict",
      "What the papers' equations say a run costs on a platform: the time of all iterations, its phases\n"
      "(--phases), or the parts of every rank (--per-rank), in seconds. --explain shows one run step by "
      "step: "
      "each\n"
      "equation in symbols, then with this run's numbers, then its value; for one rank, for what it "
      "exchanges\n"
      "with another, and up to the total of one iteration. Accesses are counted in the matrix,\n"
      "the machine is read from the platform file; nothing is simulated.");
  const auto options = std::make_shared<PredictFlags>();
  add_workload_options(*command, options->workload);
  CLI::Option* iterations = command->add_option("--iterations", options->workload.iterations, "Iterations")
                                ->check(at_least_one())
                                ->capture_default_str();
  add_platform_options(*command, options->platforms);
  command
      ->add_option("--variant", options->variant,
                   "as_published: as needed for the papers' own predictions; as_printed: the equations as "
                   "printed")
      ->check(one_of({"as_printed", "as_published"}))
      ->capture_default_str();
  CLI::Option* phases = command->add_flag("--phases", options->per_phase, "Print one row for each phase");
  CLI::Option* per_rank = command
                              ->add_flag("--per-rank", options->per_rank,
                                         "Print one row for each rank, with the parts of its time")
                              ->excludes(phases);
  CLI::Option* explain =
      command
          ->add_flag("--explain", options->explain, "Show one run's equations step by step, with its numbers")
          ->excludes(iterations)
          ->excludes(phases)
          ->excludes(per_rank);
  command
      ->add_option("--rank", options->explained.rank,
                   "With --explain: the rank whose terms are shown. Default: the slowest one")
      ->needs(explain);
  command
      ->add_option("--to", options->explained.to,
                   "With --explain: the rank with which it exchanges the message. Default: the one whose "
                   "message costs most")
      ->needs(explain);
  add_table_choice(*command, options->table, {"machine", "rank", "message", "total"})->needs(explain);
  add_format_option(*command, options->format);
  command->footer(
      "Example: finegrain predict --matrix heart.fgm --ranks 16,64,256 --ranks-per-node 16 \\\n"
      "           --platform platforms/abel.xml --phases\n"
      "         finegrain predict --heat 20000x20000 --mprocs 8 --nprocs 16 --ranks-per-node 16 \\\n"
      "           --platform platforms/abel.xml\n"
      "         finegrain predict --heat 20000x20000 --mprocs 4 --nprocs 8 --ranks-per-node 16 \\\n"
      "           --platform platforms/abel.xml --explain --rank 5 --to 6");
  command->callback([options] { run_predict(*options); });
}

}  // namespace finegrain::cli
