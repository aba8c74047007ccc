// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>

#include "sim/cli/answer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/workload.hpp"
#include "sim/graph/rank_graph_facts.hpp"
#include "sim/output/table.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform/platform_facts.hpp"
#include "sim/policy/idle_ranks.hpp"
#include "sim/replay/platform_summary.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::cli {
namespace {

struct GraphFlags {
  WorkloadOptions workload;
  std::string trace;
  std::string platform;
  std::size_t pairs = 5;
  std::filesystem::path out;
  bool force = false;
  std::string table = {};
  std::string format = "table";
};

struct Source {
  std::vector<Run> runs;
  std::vector<graph::RankGraph> graphs;  ///< shape [runs]
  std::string name;
  std::vector<std::string> notes = {};
};

Source source_of(const GraphFlags& options) {
  if (options.trace.empty()) {
    const Workload workload(options.workload);
    Source source{workload.runs(), {}, workload.name(), workload.pattern()->notes()};
    for (Run& run : source.runs) {
      if (!options.platform.empty() && !options.workload.ranks_per_node)
        run.ranks_per_node = std::min(
            run.ranks, ranks_that_fit(platform::platform_facts(options.platform), run.threads_per_rank)
                           .value_or(run.ranks));
      source.graphs.push_back(graph::rank_graph(workload.schedule(run)));
    }
    return source;
  }
  const Trace trace(options.trace);
  Run run = trace.manifest().run;
  run.ranks_per_node = options.workload.ranks_per_node.value_or(run.ranks_per_node);
  graph::RankGraph graph = trace.knows_iterations()
                               ? graph::rank_graph(schedule_of(trace))
                               : graph::rank_graph(RecordedPrograms(trace, KilledRun::ends_early));
  return {{std::move(run)}, {std::move(graph)}, fmt::format("trace {}", options.trace), {}};
}

output::Table table_of_ranks() {
  return {.title = "",
          .columns = {{"ranks", "ranks"},
                      {"messages", "messages"},
                      {"bytes", "bytes"},
                      {"degree_min", "least peers"},
                      {"degree_median", "median"},
                      {"degree_max", "most"},
                      {"components", "components"}},
          .rows = {},
          .notes = {"An iteration. peers: ranks that a rank sends to or receives from; components: groups of "
                    "ranks that nothing connects."}};
}

std::vector<output::Cell> row_of_ranks(const graph::RankGraph& graph) {
  std::vector<std::size_t> peers = graph::degrees(graph);
  std::ranges::sort(peers);
  const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
  const pattern::Volume total = graph::total_volume(graph);
  return {count(peers.size()),
          total.messages,
          total.bytes,
          count(peers.front()),
          count(peers[(peers.size() - 1) / 2]),
          count(peers.back()),
          count(graph::connected_components(graph))};
}

output::Table table_of_placements() {
  return {.title = "Between nodes",
          .columns = {{"ranks", "ranks"},
                      {"nodes", "nodes"},
                      {"placement", "placement"},
                      {"messages_remote", "messages"},
                      {"bytes_remote", "bytes"},
                      {"share_percent", "share %", 1},
                      {"less_than_block_percent", "< block %", 1},
                      {"less_than_cyclic_percent", "< cyclic %", 1}},
          .rows = {},
          .notes = {"share: of all bytes; <: how many fewer bytes than that placement has."}};
}

output::Cell percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? output::Cell()
                    : output::Cell(100 * static_cast<double>(part) / static_cast<double>(whole));
}

/// Block and cyclic, and what was asked for where it is neither; on a platform every placement.
void add_placements(output::Table& table, const graph::RankGraph& graph, const Run& run,
                    graph::PlacementRule asked_for, const std::string& platform) {
  using enum graph::PlacementRule;
  std::vector<graph::PlacementRule> rules{block, cyclic};
  graph::Hops hops;
  graph::HopsOf hops_of;
  if (!platform.empty()) {
    rules.insert(rules.end(), {communication, topology});
    hops = replay::hops_between_nodes(platform, problem::Placement(run.ranks, run.ranks_per_node).nodes());
    hops_of = [&](int /*nodes*/) { return hops; };
  } else if (looks_at_messages(asked_for)) {
    rules.push_back(asked_for);
  }
  const std::int64_t bytes = graph::total_volume(graph).bytes;
  std::vector<pattern::Volume> volumes;
  for (const graph::PlacementRule rule : rules) {
    const problem::Placement placement = with_progress(rule, run.ranks, [&] {
      return placement_by(
          rule, run.ranks, run.ranks_per_node, [&] { return graph; }, hops_of);
    });
    const pattern::Volume& volume = volumes.emplace_back(graph::volume_between_nodes(graph, placement));
    const auto less_than = [&](std::size_t other) {
      if (volumes.size() <= other + 1) return output::Cell();
      return percent(volumes[other].bytes - volume.bytes, volumes[other].bytes);
    };
    table.rows.push_back({std::int64_t{run.ranks}, std::int64_t{placement.nodes()},
                          std::string(to_string(rule)), volume.messages, volume.bytes,
                          percent(volume.bytes, bytes), less_than(0), less_than(1)});
    if (!platform.empty()) table.rows.back().emplace_back(graph::bytes_times_hops(graph, placement, hops));
  }
}

output::Table table_of_pairs() {
  return {.title = "Heaviest pairs of ranks",
          .columns = {{"ranks", "ranks"},
                      {"rank", "rank"},
                      {"peer", "peer"},
                      {"messages_forth", "messages to"},
                      {"bytes_forth", "bytes to"},
                      {"messages_back", "messages back"},
                      {"bytes_back", "bytes back"}},
          .rows = {},
          .notes = {}};
}

void add_pairs(output::Table& table, const graph::RankGraph& graph, std::size_t most) {
  std::vector<graph::PairTraffic> pairs = graph::heaviest_pairs(graph);
  pairs.resize(std::min(most, pairs.size()));
  for (const graph::PairTraffic& pair : pairs) {
    table.rows.push_back({static_cast<std::int64_t>(boost::num_vertices(graph)), std::int64_t{pair.first},
                          std::int64_t{pair.second}, pair.forth.messages, pair.forth.bytes,
                          pair.back.messages, pair.back.bytes});
  }
}

constexpr std::string_view first_line_of_dot =
    "// Written by finegrain graph; an edge's label is its bytes.\n";

FileKind dot_kind() {
  return {"a graph", {".dot", ".gv"}, [](std::string_view content) {
            return content.starts_with(first_line_of_dot);
          }};
}

/// For Graphviz.
/// (Boost's write_graphviz writes the same, and takes seconds to compile.)
void write_dot(AtomicFile& file, const graph::RankGraph& graph) {
  std::string text = fmt::format("{}digraph G {{\n", first_line_of_dot);
  for (std::size_t rank = 0; rank < boost::num_vertices(graph); ++rank)
    text += fmt::format("{};\n", rank);
  for (const auto& edge : boost::make_iterator_range(boost::edges(graph)))
    text += fmt::format("{}->{} [label=\"{}\"];\n", boost::source(edge, graph), boost::target(edge, graph),
                        graph[edge].bytes);
  file.write(text + "}\n");
  file.commit();
}

void run_graph(const GraphFlags& options) {
  const output::Format format = output::parse_format(options.format);
  std::optional<AtomicFile> file;
  if (!options.out.empty()) {
    std::vector<std::string> traces;
    if (!options.trace.empty()) traces.push_back(options.trace);
    file.emplace(options.out, dot_kind(),
                 Protection{input_files(options.workload, {}, traces), options.force});
  }
  std::optional<platform::PlatformDocument> kept;  // reads the platform once
  if (!options.platform.empty()) kept.emplace(options.platform);
  const Source source = source_of(options);
  if (!options.out.empty() && source.runs.size() != 1)
    throw InputError("--out", "a file holds one graph", "Give one number of --ranks");
  output::Table ranks = table_of_ranks();
  output::Table placements = table_of_placements();
  if (!options.platform.empty()) {
    placements.columns.push_back({"byte_links", "bytes x links", 0});
    placements.notes.push_back(
        fmt::format("bytes x links: every message's bytes times the links that it crosses on {}.",
                    std::filesystem::path(options.platform).stem().string()));
  }
  output::Table pairs = table_of_pairs();
  const graph::PlacementRule rule = placement_rule(options.workload);
  for (std::size_t i = 0; i < source.runs.size(); ++i) {
    const graph::RankGraph& graph = source.graphs[i];
    ranks.rows.push_back(row_of_ranks(graph));
    add_placements(placements, graph, source.runs[i], rule, options.platform);
    add_pairs(pairs, graph, options.pairs);
    if (file) write_dot(*file, graph);
  }
  ranks.name = "ranks";
  placements.name = "placements";
  pairs.name = "pairs";
  ranks.title = fmt::format("{}: who sends to whom", describe(source.runs.front()));
  pairs.notes = {source.name + "."};
  std::ranges::copy(source.notes, std::back_inserter(pairs.notes));
  if (!has_pattern(source.runs.front())) {
    ranks.notes = {
        "The whole program, without its collective operations. peers: ranks that a rank sends to or "
        "receives from; components: groups of ranks that nothing connects."};
  } else {
    std::ranges::move(policy::idle_ranks_notes(source.runs), std::back_inserter(pairs.notes));
  }
  print_answer(output::chosen({ranks, placements, pairs}, options.table), options.table, format);
}

}  // namespace

void add_graph_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "graph",
      "Shows who communicates with whom in one iteration: how many peers a rank has, how many bytes go "
      "between\n"
      "nodes under each placement of ranks on nodes, and which pairs exchange most. A placement changes "
      "where\n"
      "ranks run, not what they own. --placement communication puts ranks that exchange most on one node\n"
      "(Kernighan-Lin exchanges), and says what that gains. With a platform it also says how far the bytes\n"
      "travel; placement topology puts ranks that exchange much near each other (SCOTCH). replay and "
      "predict\n"
      "have --placement as well.");
  const auto options = std::make_shared<GraphFlags>();
  CLI::Option* trace =
      command->add_option("--trace", options->trace, "Recorded run: a folder, or a packed file");
  add_workload_options(*command, options->workload);
  exclude_run_options(*command, *trace, false);
  trace->excludes(command->get_option("--ranks"));
  command
      ->add_option("--platform", options->platform,
                   "Compare all placements on this SimGrid platform: bytes times the links that they cross")
      ->transform(platform_by_name());
  command->add_option("--pairs", options->pairs, "Heaviest pairs to list")->capture_default_str();
  command->add_option("--out", options->out, "Also write the graph to this file, for Graphviz: graph.dot");
  add_force(*command, options->force);
  add_table_choice(*command, options->table, {"ranks", "placements", "pairs"});
  add_format_option(*command, options->format);
  command->footer(
      "Example: finegrain graph --matrix heart.fgm --ranks 64 --ranks-per-node 16 --placement communication\n"
      "         finegrain graph --trace trace --ranks-per-node 2 --out graph.dot");
  command->callback([options] { run_graph(*options); });
}

}  // namespace finegrain::cli
