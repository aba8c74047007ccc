// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include "kernels/problem/left_ventricle_matrix.hpp"
#include "kernels/problem/matrix_file.hpp"
#include "sim/cli/answer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/workload.hpp"
#include "sim/model/published.hpp"
#include "sim/validation/accuracy_document.hpp"
#include "sim/validation/block_size_sweep.hpp"
#include "sim/validation/by_rank.hpp"
#include "sim/validation/effects.hpp"
#include "sim/validation/fit.hpp"
#include "sim/validation/inspected_programs.hpp"
#include "sim/validation/memory_traffic.hpp"
#include "sim/validation/model_precision.hpp"
#include "sim/validation/prepared_table.hpp"
#include "sim/validation/result_tables.hpp"
#include "sim/validation/socket_energy.hpp"
#include "sim/validation/tau_under_load.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"

namespace finegrain::cli {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> groups{"heat",   "spmv", "upcxx", "knl",    "larger",
                                      "energy", "npb",  "zhang", "alvanos"};

struct ValidateFlags {
  std::vector<std::string> groups = cli::groups;
  fs::path platforms = platforms_folder();
  std::vector<std::string> overrides;
  std::vector<std::string> without;
  bool ablation = false;
  bool fit = false;
  bool blocksize_sweep = false;
  std::string matrix_sbd;
  std::string matrix_gnd;
  std::string matrix_2;
  std::string matrix_3;
  std::uint64_t seed = 1;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::string document;
  bool force = false;
  std::string format = "table";
  std::string table;

  bool wants(std::string_view group) const { return std::ranges::find(groups, group) != groups.end(); }
};

void show_progress(std::string_view text) {
  if (stderr_is_terminal()) complain(text);
}

/// A matrix that stands in for one of the papers': of a file, or made here.
class StandIn {
 public:
  /// @throws InputError if the file is of another matrix
  StandIn(const std::string& file, std::int64_t rows, problem::RowOrder order, std::uint64_t seed) {
    if (file.empty()) {
      show_progress(fmt::format("making {} tetrahedra, order {}", rows, to_string(order)));
      made_ = left_ventricle_matrix(rows, order, seed, show_progress);
      return;
    }
    const problem::EllpackView& view = file_.emplace(file).view();
    if (view.rows != rows || view.r_nz != model::published_spmv_r_nz) {
      throw InputError(file,
                       fmt::format("{} rows, r_nz {} (the paper's matrix has {} rows, r_nz {})", view.rows,
                                   view.r_nz, rows, model::published_spmv_r_nz),
                       fmt::format("Make one with finegrain mesh --tets {}", rows));
    }
  }
  problem::EllpackView view() const { return file_ ? file_->view() : made_->view(); }

 private:
  std::optional<problem::MatrixFile> file_;
  std::optional<problem::EllpackMatrix> made_;
};

platform::Platform platform_of(const validation::PublishedExperiments& table, const ValidateFlags& options) {
  return platform::read_platform(options.platforms / table.platform, options.overrides);
}

std::vector<output::Table> sweep(const StandIn& matrix, const ValidateFlags& options) {
  const platform::Platform platform = platform_of(validation::spmv_table_4(), options);
  show_progress("sweeping BLOCKSIZE");
  return sweep_as_tables(validation::sweep_block_sizes(matrix.view(), platform, options.jobs));
}

/// All tables asked for; one matrix at a time is in memory.
/// @param swept  the sweep's tables are added to
std::vector<validation::PreparedTable> prepare(const ValidateFlags& options,
                                               std::vector<output::Table>& swept) {
  std::vector<validation::PreparedTable> prepared;
  if (options.wants("heat")) prepared = validation::prepare_heat();
  const platform::PlatformCosts abel = model::published_abel();
  if (options.wants("spmv") || options.wants("upcxx") || options.wants("knl")) {
    const StandIn matrix(options.matrix_sbd, model::published_spmv_rows, problem::RowOrder::sbd,
                         options.seed);
    show_progress("counting accesses");
    if (options.wants("spmv")) {
      prepared.push_back(validation::prepare_table_4(matrix.view(), problem::RowOrder::sbd));
      const validation::PublishedExperiments table_2 = validation::spmv_table_2();
      platform::PlatformCosts with_pointers = abel;  // the paper prints no such costs
      const platform::PlatformCosts in_file = platform_of(table_2, options).costs;
      with_pointers.shared_pointer_access_s = in_file.shared_pointer_access_s;
      with_pointers.affinity_test_s = in_file.affinity_test_s;
      prepared.push_back(prepare_spmv(table_2, with_pointers, matrix.view()));
      if (options.blocksize_sweep) swept = sweep(matrix, options);
    }
    if (options.wants("upcxx"))
      prepared.push_back(prepare_spmv(validation::spmv_table_i(), abel, matrix.view()));
    if (options.wants("knl")) {
      const validation::PublishedExperiments table = validation::spmv_table_iii();
      prepared.push_back(prepare_spmv(table, platform_of(table, options).costs, matrix.view()));
    }
  }
  if (options.wants("spmv")) {
    const StandIn matrix(options.matrix_gnd, model::published_spmv_rows, problem::RowOrder::gnd,
                         options.seed);
    prepared.insert(std::ranges::find(prepared, "Table 2", [](const auto& one) { return one.table.name; }),
                    validation::prepare_table_4(matrix.view(), problem::RowOrder::gnd));
  }
  if (options.wants("larger")) {
    for (const auto& [problem, file] : {std::pair(2, options.matrix_2), std::pair(3, options.matrix_3)}) {
      const validation::PublishedExperiments table = validation::spmv_table_3(problem);
      const StandIn matrix(file, number_of(table.experiments.front().run.problem, "rows", 1),
                           problem::RowOrder::sbd, options.seed);
      prepared.push_back(prepare_spmv(table, abel, matrix.view()));
    }
  }
  return prepared;
}

validation::ComparedTable simulate(const validation::PreparedTable& one,
                                   const std::vector<std::string>& without, const ValidateFlags& options) {
  platform::Platform platform = platform_of(one.table, options);
  replay::ReplayOptions replay;
  validation::take_away(platform.costs, replay, without);
  const Progress progress("simulating " + one.table.name, one.cases.schedules().size());
  validation::ComparedTable compared =
      compare(one.table, one.cases, platform, one.reading, options.jobs, replay,
              [&](std::size_t finished) { progress.show(finished); });
  progress.clear();
  return compared;
}

/// The tables that score, without each effect in turn and without all.
output::Table ablation(const std::vector<validation::PreparedTable>& prepared,
                       const std::vector<validation::ComparedTable>& with_all, const ValidateFlags& options) {
  std::vector<validation::AblationRow> rows{{"all effects", {}}};
  std::vector<std::size_t> scoring;  // what effects there are is Abel's, of a run on several nodes
  for (std::size_t i = 0; i < with_all.size(); ++i)
    if (validation::scores_on_several_nodes(with_all[i])) scoring.push_back(i);
  for (const std::size_t i : scoring)
    rows.front().compared.push_back(with_all[i]);
  const auto add_without = [&](const std::string& name, const std::vector<std::string>& names) {
    validation::AblationRow& row = rows.emplace_back(validation::AblationRow{"without " + name, {}});
    for (const std::size_t i : scoring)
      row.compared.push_back(simulate(prepared[i], names, options));
  };
  std::vector<std::string> names;
  for (const validation::Effect& effect : validation::effects()) {
    names.emplace_back(effect.name);
    add_without(names.back(), {names.back()});
  }
  add_without("all of these", names);
  return ablation_as_table(rows);
}

output::Table fit(const std::vector<validation::PreparedTable>& prepared, const ValidateFlags& options) {
  std::vector<validation::FittedProperty> fitted;
  const auto fit_to = [&](const char* table, auto fit_platform) {
    const auto found =
        std::ranges::find_if(prepared, [&](const auto& one) { return one.table.name.starts_with(table); });
    if (found == prepared.end()) return;
    show_progress("fitting");
    std::ranges::move(fit_platform(prepared, platform_of(found->table, options), options.jobs),
                      std::back_inserter(fitted));
  };
  fit_to("Table 4,", validation::fit_abel);
  fit_to("Table III", validation::fit_many_cores);
  if (fitted.empty())
    throw InputError("--fit", "fits to Tables 4 and III (groups spmv and knl, which are left out)",
                     "Add spmv or knl to the tables");
  return fit_as_table(fitted);
}

output::Table energies(const ValidateFlags& options) {
  std::vector<validation::SocketEnergy> energies = validation::published_socket_energies();
  // Nothing of the machine is used but that it has a host.
  simulate(energies, platform::read_platform(options.platforms / "abel_upc.xml", options.overrides),
           options.jobs);
  return socket_energies_as_table(energies);
}

std::vector<validation::ModelPrecision> precisions(const ValidateFlags& options) {
  std::vector<validation::ModelPrecision> cells = validation::published_precisions();
  simulate(
      cells,
      [&](std::string_view file) {
        return platform::read_platform(options.platforms / file, options.overrides);
      },
      options.jobs, [](std::string_view what) { show_progress(fmt::format("simulating {}", what)); });
  return cells;
}

void validate(const ValidateFlags& options) {
  const output::Format format = output::parse_format(options.format);
  std::optional<AtomicFile> document;
  if (!options.document.empty()) {
    const std::vector<fs::path> inputs{options.matrix_sbd, options.matrix_gnd, options.matrix_2,
                                       options.matrix_3, options.platforms};
    document.emplace(options.document, validation::accuracy_document_kind(),
                     Protection{inputs, options.force});
  }
  if (options.blocksize_sweep && !options.wants("spmv"))
    throw InputError("--blocksize-sweep", "is of test problem 1 (group spmv, which is left out)",
                     "Add spmv to the tables");
  std::vector<output::Table> sections;
  const std::vector<validation::PreparedTable> prepared = prepare(options, sections);
  for (const validation::PreparedTable& one : prepared) {
    if (one.reading != validation::Reading::relative_to_closed_form) continue;
    sections.push_back(loads_as_table(loaded_runs(one), one.table.name));
    if (one.table.name.ends_with("SBD"))
      sections.push_back(by_rank_as_table(one, platform_of(one.table, options)));
  }
  std::vector<validation::ComparedTable> compared;
  for (const validation::PreparedTable& one : prepared)
    compared.push_back(simulate(one, options.without, options));

  std::vector<output::Table> tables;
  for (const validation::ComparedTable& one : compared)
    tables.push_back(cells_as_table(one));
  if (!compared.empty()) tables.push_back(scores_as_table(compared));
  std::vector<output::Table> more;
  if (options.wants("energy")) more.push_back(energies(options));
  if (options.wants("npb")) {
    show_progress("counting what NPB's CG moves over memory");
    more.push_back(validation::cg_traffic_as_table(
        platform::read_platform(options.platforms / "abel_upc.xml", options.overrides).costs));
  }
  if (options.wants("zhang")) {
    const std::vector<validation::ModelPrecision> cells = precisions(options);
    more.push_back(precision_scores_as_table(cells));
    sections.push_back(precisions_as_table(cells));
  }
  if (options.wants("alvanos")) {
    show_progress("simulating inspector and executor");
    const char* const network = "hdr_infiniband.xml";  // the paper's is not printed
    more.push_back(inspected_programs_as_table(
        validation::inspected_programs(
            platform::read_platform(options.platforms / network, options.overrides), options.jobs),
        network));
  }
  if (options.ablation) more.push_back(ablation(prepared, compared, options));
  if (options.fit) more.push_back(fit(prepared, options));
  tables.insert(tables.end(), more.begin(), more.end());
  tables.insert(tables.end(), sections.begin(), sections.end());
  if (document) {
    document->write(accuracy_document(compared, more, sections));
    document->commit();
  }
  print(std::cout, output::chosen(std::move(tables), options.table), format);
}

}  // namespace

void add_validate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "validate",
      "Compares both models with the papers' measurements: each cell of a table beside what is simulated "
      "and\n"
      "what the closed form says, with the errors of both. All seconds are of 1000 iterations. Scores leave "
      "out\n"
      "the runs to which something was fitted.\n"
      "  heat    Tables 5 and IV: 2D heat on Abel; at once\n"
      "  spmv    Tables 4 and 2: SpMV on Abel, test problem 1, on a mesh that stands in for the paper's in\n"
      "          two orders; about a minute, 2 GB\n"
      "  upcxx   Table I: the same in UPC and UPC++; BLOCKSIZE assumed\n"
      "  knl     Table III: the same on one Xeon Phi; BLOCKSIZE assumed, the machine's rates fitted\n"
      "  larger  Table 3: test problems 2 and 3; BLOCKSIZE assumed; some minutes, 12 GB\n"
      "  energy  Table II: NPB CG on one and on two sockets, powers fitted to MPI's energies; at once\n"
      "  npb     Table III: memory traffic of NPB CG on one node, nothing fitted; some seconds\n"
      "  zhang   Tables 2 to 4 of Zhang & Seidel 2006: programs that access single elements, as they were\n"
      "          measured, as their model predicts, and as they are simulated; some seconds\n"
      "  alvanos Table 2 of Alvanos et al. 2016: inspector and executor on 256 threads, input assumed; half\n"
      "          a minute");
  const auto options = std::make_shared<ValidateFlags>();
  command->add_option("tables", options->groups, "Groups of tables. Default: all")->check(one_of(groups));
  command->add_option("--platforms", options->platforms,
                      "Folder of the machines' files. Default: finegrain's own");
  add_overrides(*command, options->overrides,
                "Costs that replace those of the machine's file, e.g. message_overhead=1us");
  command->add_option("--without", options->without,
                      "Effects to simulate without, e.g. contention; --ablation names them");
  command
      ->add_flag("--ablation", options->ablation,
                 "Also the scores without each effect in turn: eight times the simulations")
      ->excludes("--without");
  command->add_flag("--fit", options->fit,
                    "Also repeat the fits: the costs of copies and of the network on Abel (Table 4), and the "
                    "rate of a core of the Xeon Phi, alone and with several ranks on it (Table III)");
  command->add_flag("--blocksize-sweep", options->blocksize_sweep,
                    "Also BLOCKSIZE 1024 to 524288 on 64 and 128 ranks, compared with what the thesis says\n"
                    "of its Figure 1 (group spmv); some seconds more");
  command->add_option("--matrix-sbd", options->matrix_sbd,
                      "Matrix file of test problem 1, 6810586 tetrahedra in order sbd. Default: made here");
  command->add_option("--matrix-gnd", options->matrix_gnd, "The same in order gnd");
  command->add_option("--matrix-2", options->matrix_2, "Test problem 2: 13009527 in order sbd");
  command->add_option("--matrix-3", options->matrix_3, "Test problem 3: 25587400 in order sbd");
  command->add_option("--seed", options->seed, "Seed of the meshes that are made here")
      ->capture_default_str();
  add_processes_option(*command, options->jobs);
  command->add_option("--write-docs", options->document,
                      "Also write the results as a document (docs/accuracy.md)");
  add_force(*command, options->force);
  add_format_option(*command, options->format);
  command->add_option("--table", options->table,
                      "Print one table only, by its name, e.g. scores, table-5 or tau-table-4-sbd");
  command->footer(
      "Example: finegrain validate heat\n"
      "         finegrain validate heat --table scores --format csv");
  command->callback([options] { validate(*options); });
}

}  // namespace finegrain::cli
