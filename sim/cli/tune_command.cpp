// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <thread>

#include "sim/cli/answer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/energy_columns.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/provenance.hpp"
#include "sim/cli/resumed.hpp"
#include "sim/cli/subprocess.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/text_table.hpp"
#include "sim/policy/policy.hpp"
#include "sim/study/axis_flags.hpp"
#include "sim/study/axis_values.hpp"
#include "sim/tune/ordered_matrices.hpp"
#include "sim/tune/tune_table.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

struct TuneFlags {
  tune::TuneQuestion question;
  std::string matrix;
  std::vector<std::string> orders;
  std::vector<std::string> nodes;
  std::vector<std::string> policies;
  std::map<std::string, std::vector<std::string>> axes;  ///< those of policies, by name
  std::vector<std::string> block_sizes;
  std::vector<std::string> placements;
  std::vector<std::string> overrides;
  std::string budget;
  tune::TuneOptions tuning;
  double within_percent = 10;
  std::string format = "table";
};

/// A policy names all of its variants, a policy and a transfer all of its variants that transfer so.
void add_variants(const std::string& text, std::vector<policy::Variant>& variants) {
  const std::size_t before = variants.size();
  for (const policy::Variant& variant : finegrain::policy::variants(tune::tuned_pattern())) {
    const std::string name =
        fmt::format("{} {} {} ", variant.policy, to_string(variant.transfer), to_string(variant.completion));
    if (name.starts_with(text + ' ')) variants.push_back(variant);
  }
  if (variants.size() == before)
    variants.push_back(study::parse_variant(text, tune::tuned_pattern(), "--policy"));
}

void add_block_sizes(const std::string& text, std::vector<std::optional<std::int64_t>>& sizes) {
  if (text == "auto") {
    sizes.emplace_back(std::nullopt);
    return;
  }
  std::ranges::copy(study::parse_numbers(text, "--blocksize"), std::back_inserter(sizes));
}

std::vector<pattern::Parameter> policy_axes() {
  std::vector<pattern::Parameter> axes = policy::policy_parameters();
  std::erase_if(axes, [](const pattern::Parameter& parameter) { return !parameter.is_axis; });
  return axes;
}

/// The values of an axis, spelled as in a study file.
std::vector<Value> axis_values(const pattern::Parameter& parameter, const std::vector<std::string>& texts) {
  const std::string flag = study::flag_of(parameter.name);
  std::vector<Value> values;
  for (const std::string& text : texts) {
    if (text == "auto") {
      values.push_back(*parameter.usual);
    } else if (parameter.words.empty() && !(text == "0" && parameter.least == 0)) {
      std::ranges::copy(study::parse_numbers(text, flag), std::back_inserter(values));
    } else {
      values.push_back(parse_value(parameter, text, flag));
    }
  }
  return values;
}

tune::TuneQuestion question_of(const TuneFlags& options, const tune::OrderedMatrices& matrices) {
  tune::TuneQuestion question = options.question;
  question.matrices = matrices.files();
  for (const std::string& text : options.nodes)
    std::ranges::copy(study::parse_numbers(text, "--nodes"), std::back_inserter(question.nodes));
  for (const std::string& text : options.policies)
    add_variants(text, question.variants);
  for (const pattern::Parameter& axis : policy_axes())
    if (const std::vector<std::string>& texts = options.axes.at(axis.name); !texts.empty())
      question.axes[axis.name] = axis_values(axis, texts);
  for (const std::string& text : options.block_sizes)
    add_block_sizes(text, question.block_sizes);
  if (!options.placements.empty()) question.placements.clear();
  for (const std::string& text : options.placements)
    question.placements.push_back(graph::parse_placement_rule(text, "--placement"));
  for (const std::string& text : options.overrides) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0)
      throw InputError("--set", fmt::format("'{}' is no name=value", text), "Give e.g. tau=3.4us");
    question.set[text.substr(0, sign)] = text.substr(sign + 1);
  }
  return question;
}

/// @param on_several_nodes  started by srun, in an allocation
std::string record_line(const Run& run, const std::string& matrix, bool on_several_nodes) {
  CommandLine command{"finegrain", "record", run.problem.pattern, "--" + tune::tuned_pattern().kernel_flag(),
                      matrix};
  const auto add = [&](const char* flag, const std::string& value) {
    command.insert(command.end(), {flag, value});
  };
  add("--policy", run.policy);
  add("--transfer", std::string(to_string(run.transfer)));
  add("--completion", std::string(to_string(run.completion)));
  for (const auto& [name, value] : run.policy_settings)
    add(study::flag_of(name).c_str(), tune::value_text(value));
  add("--ranks", fmt::format("{}", run.ranks));
  if (run.threads_per_rank > 1) add("--threads", fmt::format("{}", run.threads_per_rank));
  add("--blocksize", fmt::format("{}", tune::block_size_of(run)));
  add("--iterations", fmt::format("{}", run.iterations));
  if (on_several_nodes) add("--launcher", "srun");
  add("--out", std::filesystem::path(matrix).stem().string() + ".trace");
  return shell_quoted(command);
}

/// The commands that run the best: the matrix where it has to be made first, an allocation where there are
/// several nodes, the run.
std::vector<std::string> commands_of(const tune::TuneAnswer& answer, const TuneFlags& options,
                                     const tune::OrderedMatrices& matrices) {
  const study::StudyPoint& point = *answer.finalists.front().point;
  const Run& run = point.run;
  const std::size_t problem = point.position(study::Axis::problem);
  std::vector<std::string> commands;
  std::string matrix = options.matrix;
  if (!matrices.orders().empty()) {
    matrix = std::filesystem::path(matrices.files()[problem]).filename().string();
    commands.push_back(shell_quoted({"finegrain", "mesh", options.matrix, "--order",
                                     std::string(to_string(matrices.orders()[problem])), "--out", matrix}));
  }
  const problem::Placement block(run.ranks, run.ranks_per_node);
  if (block.nodes() == 1) {
    commands.push_back(record_line(run, matrix, false));
    return commands;
  }
  commands.push_back(fmt::format("salloc --nodes={} --ntasks-per-node={} --cpus-per-task={}", block.nodes(),
                                 run.ranks_per_node, run.threads_per_rank));
  std::string distribution(to_string(point.placement));
  if (looks_at_messages(point.placement)) {
    const problem::Placement placement =
        placement_by(point.placement, policy::make_schedule(*answer.inputs.problems[problem], run),
                     answer.inputs.platforms[point.platform].hops_of);
    std::string nodes;
    for (int rank = 0; rank < placement.ranks(); ++rank)
      nodes += fmt::format(" {}", placement.node(rank) + 1);
    commands.push_back(
        fmt::format("for n in{}; do scontrol show hostnames | sed -n ${{n}}p; done > ranks.hosts", nodes));
    distribution = "arbitrary SLURM_HOSTFILE=ranks.hosts";
  }
  commands.push_back(fmt::format("SLURM_DISTRIBUTION={} {}", distribution, record_line(run, matrix, true)));
  return commands;
}

bool stdout_is_terminal() {
  return ::isatty(STDOUT_FILENO) == 1;
}

void run_tune(TuneFlags options) {
  const output::Format format = output::parse_format(options.format);
  if (!options.budget.empty()) options.tuning.budget_s = parse_time_s(options.budget, "--budget");
  std::vector<problem::RowOrder> orders;
  for (const std::string& text : options.orders)
    orders.push_back(problem::parse_row_order(text));
  const tune::OrderedMatrices matrices(options.matrix, orders);
  for (const std::string& note : matrices.notes())
    spdlog::warn("{}", note);
  ProgressInTurn progress;
  const tune::TuneAnswer answer = tune::tune(
      question_of(options, matrices), options.tuning,
      [&](const char* what, std::size_t finished, std::size_t of) { progress.show(what, finished, of); });
  output::Table table = tune_table(answer, options.tuning.budget_s, options.within_percent);
  table.notes.push_back(simulated_note(options.tuning.replay));
  table.notes.emplace_back(closed_form_note);
  std::ranges::move(study::derived_notes({&answer.finalists.front().point->run, 1}, answer.inputs.platforms),
                    std::back_inserter(table.notes));
  std::vector<platform::Platform> platforms;
  for (std::size_t i = 0; i < answer.study.platforms.size(); ++i)
    platforms.push_back(answer.inputs.platforms[i * answer.study.changes.size()].platform);
  std::ranges::move(energy_notes(platforms, options.tuning.replay.energy), std::back_inserter(table.notes));
  const std::vector<std::string> commands = commands_of(answer, options, matrices);
  if (format == output::Format::table) {
    output::print_text(std::cout, table.title);
    std::cout << '\n';
    for (const std::string& command : commands)
      std::cout << (stdout_is_terminal() ? broken_command("    " + command, output::usual_width)
                                         : "    " + command)
                << '\n';
    std::cout << '\n';
    print(std::cout, tune::tune_tables_for_people(table), format);
    return;
  }
  for (auto command = commands.rbegin(); command != commands.rend(); ++command)
    table.notes.insert(table.notes.begin(), "run: " + *command);
  print(std::cout, {table}, format);
}

}  // namespace

void add_tune_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "tune",
      "Finds out what to run for a matrix and a platform. A way to run it is a program with its\n"
      "settings, a number of nodes, a BLOCKSIZE, a placement of ranks, and an order of a mesh's rows.\n"
      "It simulates a few iterations of each way, beginning with those whose closed form is shortest.\n"
      "It corrects the closed forms by what it has simulated. Without --nodes it begins with up to 16\n"
      "nodes, and goes on to twice as many while they gain. Then it simulates all iterations of the\n"
      "best ones. It stops when no other way could win, or when --budget is used up, and says which.\n"
      "The answer begins with what to run and the commands for it. It then says by how much this wins,\n"
      "why the second lost, and what is cheapest. It also says whether the answer depends on a number\n"
      "of the platform that was not measured.");
  const auto options = std::make_shared<TuneFlags>();
  command
      ->add_option("--matrix", options->matrix,
                   "Matrix file (see finegrain mesh), a mesh (TetGen, Gmsh), or a Matrix Market file")
      ->required();
  command
      ->add_option("--order", options->orders,
                   "For a mesh or a Matrix Market file: orders of the rows to try, as in finegrain mesh. "
                   "Default: sbd, rcm and hilbert; for Matrix Market none and rcm")
      ->delimiter(',')
      ->check(one_of({"sbd", "gnd", "rcm", "hilbert", "none", "random"}));
  command
      ->add_option("--platform", options->question.platforms,
                   "SimGrid platform files to choose from, or names of finegrain's own")
      ->delimiter(',')
      ->transform(platform_by_name())
      ->required();
  add_overrides(*command, options->overrides,
                "Numbers that the platforms lack, or that replace theirs, e.g. tau=3.4us, or as a "
                "factor, e.g. link_bandwidth=x2 (docs/studies.md)");
  command
      ->add_option(
          "--nodes", options->nodes,
          "Numbers of nodes to try: 16, \"1..8\", \"powers of two 1..64\". Default: powers of two up "
          "to 16, then twice as many while they gain, up to all that a platform has")
      ->delimiter(',');
  add_numbers(
      *command, "--ranks-per-node", options->question.ranks_per_node,
      "Ranks on each node to try, e.g. 8,16 or 1..4. Default: of each platform one a core, and a half, a "
      "quarter and an eighth as many");
  command
      ->add_option("--policy", options->policies,
                   fmt::format("Programs to try: {0} (all of its), \"{0} put\". Default: all of {1}",
                               policy::usual_policy().name(), fmt::join(candidate_names(), ", ")))
      ->delimiter(',');
  for (const pattern::Parameter& axis : policy_axes())
    command
        ->add_option(study::flag_of(axis.name), options->axes[axis.name],
                     fmt::format("Values to try instead of the usual ones. {}", axis.help))
        ->delimiter(',')
        ->group("Settings of programs");
  command
      ->add_option("--blocksize", options->block_sizes,
                   "BLOCKSIZEs to try: auto (one block a rank), 4096, \"powers of two 256..4096\". Default: "
                   "auto and powers of two 256..65536, if every rank gets rows")
      ->delimiter(',');
  std::string usual;
  for (const graph::PlacementRule rule : options->question.placements)
    usual += fmt::format("{}{}", usual.empty() ? "" : ", ", to_string(rule));
  command
      ->add_option(
          "--placement", options->placements,
          fmt::format("Placements of ranks on nodes to try: {}. Default: {}", graph::placement_help(), usual))
      ->delimiter(',');
  command->add_option("--threads", options->question.threads_per_rank, "OpenMP threads a rank")
      ->check(at_least_one())
      ->capture_default_str();
  command->add_option("--iterations", options->question.iterations, "Iterations")
      ->check(at_least_one())
      ->capture_default_str();
  CLI::Option* budget = command->add_option(
      "--budget", options->budget,
      "Stop simulating after this time, e.g. 30s, even if others could still win. Default: no limit");
  command
      ->add_option("--cheapest-within", options->within_percent,
                   "Name the way with the fewest node-hours among those at most this many percent slower "
                   "than the first")
      ->check(number_between(0, 1e6))
      ->capture_default_str();
  options->tuning.processes = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  add_processes_option(*command, options->tuning.processes);
  add_one_flow_per_message(*command, options->tuning.replay);
  add_resume(*command, options->tuning.replay)->excludes(budget);
  command
      ->add_option_function<std::string>(
          "--objective",
          [options = options.get()](const std::string& text) {
            options->tuning.objective = tune::parse_objective(text, "--objective");
          },
          "What to minimize: time, energy, edp (energy x delay) or node-hours. Energy needs platforms with "
          "socket_power (docs/energy.md)")
      ->check(one_of({"time", "energy", "edp", "node-hours"}))
      ->default_str("time");
  add_energy_options(*command, options->tuning.replay.energy);
  add_format_option(*command, options->format);
  command->footer(
      "Example: finegrain tune --matrix heart.fgm --platform platforms/abel.xml\n"
      "         finegrain tune --matrix heart.msh --platform platforms/abel.xml,platforms/hdr_infiniband.xml "
      "\\\n"
      "           --nodes 1..4 --ranks-per-node 8,16 --budget 30s\n"
      "How it searches, and how often it finds the fastest: docs/tune.md.");
  command->callback([options] { run_tune(*options); });
}

}  // namespace finegrain::cli
