// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <thread>

#include "sim/cli/commands.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/provenance.hpp"
#include "sim/cli/workload.hpp"
#include "sim/study/axis_values.hpp"
#include "sim/tune/tune_table.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

struct Options {
  TuneQuestion question;
  std::vector<std::string> nodes = {"powers of two 1..16"};
  TuneOptions tuning;
  double within_percent = 10;
  std::string format = "table";
};

/// Screening, and simulations in rounds.
TuneEvents show_on(ProgressInTurn& progress) {
  return {
      .screening = [&](std::size_t finished, std::size_t of) { progress.show("closed form", finished, of); },
      .simulating = [&](std::size_t finished, std::size_t of) { progress.show("simulating", finished, of); }};
}

void run_tune(const Options& options) {
  const Format format = parse_format(options.format);
  TuneQuestion question = options.question;
  for (const std::string& text : options.nodes)
    std::ranges::copy(parse_numbers(text, "--nodes"), std::back_inserter(question.nodes));
  ProgressInTurn progress;
  const TuneAnswer answer = tune(question, options.tuning, show_on(progress));
  Table table = tune_table(answer, options.within_percent);
  table.notes.push_back(simulated_note(options.tuning.replay));
  table.notes.emplace_back(closed_form_note);
  print(std::cout, format == Format::table ? tune_tables_for_people(table) : std::vector{table}, format);
}

}  // namespace

void add_tune_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "tune",
      "My matrix, my platform: what should I run? Computes the closed form of every program that has one, "
      "on\n"
      "every number of nodes, with many BLOCKSIZEs and ranks placed block and cyclic; simulates finalists\n"
      "(first the best of each number of nodes and of ranks a node, then each program and each BLOCKSIZE "
      "where\n"
      "that came out best; placed by communication where the closed form likes that better), and ranks them: "
      "by how much the first wins,\n"
      "why the second lost, what is cheapest, and whether the answer hangs on a number of the platform that\n"
      "is only declared, not measured.");
  const auto options = std::make_shared<Options>();
  command->add_option("--matrix", options->question.matrix, "Matrix file (see finegrain mesh)")->required();
  command->add_option("--platform", options->question.platforms, "SimGrid platform files to choose from")
      ->delimiter(',')
      ->required();
  command
      ->add_option("--nodes", options->nodes,
                   "Numbers of nodes to try: 16, \"1..8\", \"powers of two 1..64\"")
      ->delimiter(',')
      ->capture_default_str();
  command
      ->add_option("--ranks-per-node", options->question.ranks_per_node,
                   "Ranks on each node to try. Default: one a core, and half as many, of the platforms")
      ->delimiter(',')
      ->check(at_least_one());
  command->add_option("--threads", options->question.threads_per_rank, "OpenMP threads a rank")
      ->check(at_least_one())
      ->capture_default_str();
  command->add_option("--iterations", options->question.iterations, "Iterations")
      ->check(at_least_one())
      ->capture_default_str();
  command->add_option("--finalists", options->tuning.finalists, "Ways to run that are simulated")
      ->check(at_least_one())
      ->capture_default_str();
  command
      ->add_option("--cheapest-within", options->within_percent,
                   "Names what needs the fewest node-hours of those this many percent slower than the first")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  options->tuning.processes = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  command->add_option("-j,--jobs", options->tuning.processes, "Simulations at the same time")
      ->check(at_least_one());
  add_one_flow_per_message(*command, options->tuning.replay);
  command->add_option("--format", options->format, "Output: table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command->footer(
      "Example: finegrain tune --matrix heart.fgm --platform platforms/abel.xml\n"
      "         finegrain tune --matrix heart.fgm --platform platforms/abel.xml,platforms/hdr_infiniband.xml "
      "\\\n"
      "           --nodes 1..4 --ranks-per-node 8,16 --finalists 32");
  command->callback([options] { run_tune(*options); });
}

}  // namespace finegrain
