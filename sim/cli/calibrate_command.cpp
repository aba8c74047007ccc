// SPDX-License-Identifier: MIT
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "kernels/machine/cpu_time.hpp"
#include "kernels/machine/identity.hpp"
#include "kernels/micro/message_sizes.hpp"
#include "sim/calibration/benchmark_results.hpp"
#include "sim/calibration/fits.hpp"
#include "sim/calibration/platform_xml.hpp"
#include "sim/calibration/plot_script.hpp"
#include "sim/calibration/quietness.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/launcher.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/table.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

using nlohmann::json;

struct CalibrateFlags {
  std::filesystem::path out;
  std::optional<std::filesystem::path> plot;
  std::optional<std::filesystem::path> noise;
  std::optional<int> ranks;
  int nodes = 1;
  LauncherFlags launcher;
  std::optional<std::string> array_size;
  std::vector<std::string> messages;  ///< empty: pingpong_mpi's own
  double worst_fit_percent = 75;
  bool force = false;
  bool even_if_busy = false;
  std::string format = "table";
};

/// Runs the benchmarks, one after the other, and keeps the user informed.
class Benchmarks {
 public:
  explicit Benchmarks(const CalibrateFlags& options)
      : options_(options), total_(options.nodes > 1 ? 11 : 7), progress_("measured", total_) {}
  ~Benchmarks() { progress_.clear(); }
  Benchmarks(const Benchmarks&) = delete;
  Benchmarks& operator=(const Benchmarks&) = delete;

  json mpi(LaunchedRun run) {
    return result_of(on_this_node(std::move(run), launcher_of(options_.launcher, false)),
                     calibration::Nodes::one);
  }
  json upcxx(LaunchedRun run) {
    return result_of(on_this_node(std::move(run), upcxx_launcher()), calibration::Nodes::one);
  }
  /// What the operating system takes of each core: the text of a file.
  std::string noise(LaunchedRun run) {
    const CommandLine command =
        launch_command(on_this_node(std::move(run), launcher_of(options_.launcher, false)));
    const Output output = read_output(command);
    const std::size_t begin = output.text.find("# noise_mpi:");
    if (output.exit_code != 0 || begin == std::string::npos) {
      throw InputError("noise_mpi", fmt::format("failed with exit code {}", output.exit_code),
                       fmt::format("Run it alone to see why: {}", shell_quoted(command)));
    }
    return output.text.substr(begin);
  }
  /// Two ranks, each on a node of its own.
  json mpi_between_nodes(LaunchedRun run) {
    return between_nodes(std::move(run), launcher_of(options_.launcher, false));
  }
  json upcxx_between_nodes(LaunchedRun run) { return between_nodes(std::move(run), upcxx_launcher()); }

  /// The largest share of the CPUs' time that others had during what was kept.
  double others_share() const { return others_share_; }

 private:
  /// A real UPC++'s kernels are started by its own launcher, whatever starts those of MPI.
  Launcher upcxx_launcher() const {
    const Launcher usual = usual_launcher(true);
    return usual == Launcher::upcxx_run ? usual : launcher_of(options_.launcher, true);
  }

  /// Whatever nodes the user's launcher has by default.
  LaunchedRun on_this_node(LaunchedRun run, Launcher launcher) {
    start_with(launcher, run);
    switch (launcher) {
      case Launcher::mpirun:
        run.launcher_words.insert(run.launcher_words.end(), {"--mca", "orte_default_hostfile", "none"});
        break;
      case Launcher::hydra:
        run.launcher_words.insert(run.launcher_words.end(), {"-hosts", "localhost"});
        break;
      case Launcher::srun:
        run.nodes = 1;
        break;
      case Launcher::upcxx_run:
        run.environment = {"GASNET_SPAWNFN=L"};
        break;
    }
    return run;
  }

  json between_nodes(LaunchedRun run, Launcher launcher) {
    start_with(launcher, run);
    run.nodes = run.ranks;
    run.hostfile = options_.launcher.hostfile;
    return result_of(run, calibration::Nodes::one_a_rank);
  }

  /// More words are for the launcher of the MPI kernels.
  void start_with(Launcher launcher, LaunchedRun& run) const {
    run.launcher = launcher;
    if (launcher == launcher_of(options_.launcher, false))
      run.launcher_words = launcher_words(options_.launcher);
  }

  /// Again where others were busy, and of all attempts the one in which they were least.
  json result_of(const LaunchedRun& run, calibration::Nodes nodes) {
    const int attempts = options_.even_if_busy ? 1 : 3;
    json quietest;
    double least_share = 2;
    for (int attempt = 0; attempt < attempts && least_share > calibration::most_others_share; ++attempt) {
      const machine::CpuTime before = machine::cpu_time();
      json printed = result_once(run, nodes);
      const double share = share_of_others(before, machine::cpu_time());
      if (share >= least_share) continue;
      least_share = share;
      quietest = std::move(printed);
    }
    others_share_ = std::max(others_share_, least_share);
    // A benchmark that is run again does not bring the end nearer.
    finished_ = std::min(finished_ + 1, total_);
    progress_.show(finished_);
    return quietest;
  }

  json result_once(const LaunchedRun& run, calibration::Nodes nodes) {
    const CommandLine command = launch_command(run);
    const Output output = read_output(command);
    if (output.exit_code != 0) {
      throw InputError(run.binary, fmt::format("failed with exit code {}", output.exit_code),
                       fmt::format("Run it alone to see why: {}", shell_quoted(command)));
    }
    json printed = calibration::result_in(output.text);
    if (printed.is_discarded()) {
      throw InputError(run.binary, "printed no result",
                       fmt::format("Run it alone to see what it printed: {}", shell_quoted(command)));
    }
    check_placement(printed, nodes);
    return printed;
  }

  const CalibrateFlags& options_;
  std::size_t total_;
  Progress progress_;
  std::size_t finished_ = 0;
  double others_share_ = 0;
};

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

/// Ping-pong; again if its fit is refused, since what else ran may have been to blame. A fit that is bad each
/// time is the machine's.
template <class Run>
void measure_pingpong(const CalibrateFlags& options, Run run, calibration::Messages& found) {
  constexpr int attempts = 3;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    found.times.clear();
    take_pingpong(run(), found);
    if (std::abs(fit_messages(found).worst_deviation) <= options.worst_fit_percent / 100) return;
  }
}

/// STREAM; again if its repeats lie far apart.
template <class Run>
void measure_stream(const CalibrateFlags& options, Run run, calibration::Calibration& found) {
  const int attempts = options.even_if_busy ? 1 : 3;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    found.triad_bytes_per_s.clear();
    take_stream(run(), found);
    if (spread_of_stream(found) <= calibration::most_spread) return;
  }
}

/// Rounds of LogGP's bursts, 16 messages of up to 64 KiB, that take a slow network seconds and not minutes.
int loggp_rounds(const calibration::Messages& network) {
  constexpr double burst_bytes = 16 * 64 * 1024;
  return static_cast<int>(std::clamp(5 / fit_messages(network).at(burst_bytes), 10.0, 200.0));
}

int ranks_of(const CalibrateFlags& options) {
  return options.ranks.value_or(cores_here());
}

calibration::Calibration measure(const CalibrateFlags& options, Benchmarks& run) {
  calibration::Calibration found;
  found.date = utc_now();
  found.machine = machine::machine_identity();
  found.cores = cores_here();
  found.nodes = options.nodes;
  LaunchedRun pingpong{2, 1, "pingpong_mpi"};
  if (!options.messages.empty())
    pingpong.arguments = {"--messages", fmt::format("{}", fmt::join(options.messages, ","))};
  if (options.nodes > 1) {
    calibration::Messages& network = found.between_nodes.emplace();
    // First what not every network can do.
    take_random_get(run.upcxx_between_nodes({2, 1, "random_get_upcxx", {"--accesses", "10000"}}), network);
    measure_pingpong(
        options, [&] { return run.mpi_between_nodes(pingpong); }, network);
    const std::string rounds = fmt::format("{}", loggp_rounds(network));
    take_loggp(run.mpi_between_nodes({2, 1, "loggp_mpi", {"--rounds", rounds}}), network);
    // Long enough to be no eager message, and to be told from noise.
    const double long_bytes = std::clamp(4 * network.eager_limit_bytes.value_or(65536), 262144., 67108864.);
    take_replies(run.mpi_between_nodes({2, 1, "replies_mpi", {"--bytes", fmt::format("{:.0f}", long_bytes)}}),
                 found);
  }
  const int ranks = ranks_of(options);
  LaunchedRun stream{ranks, 1, "stream_mpi", {"--passes", "triad"}};
  if (options.array_size) stream.arguments.insert(stream.arguments.end(), {"--bytes", *options.array_size});
  measure_stream(
      options, [&] { return run.mpi(stream); }, found);
  take_barrier(run.mpi({ranks, 1, "barrier_mpi", {}}), found);
  measure_pingpong(
      options, [&] { return run.mpi(pingpong); }, found.within_node);
  take_loggp(run.mpi({2, 1, "loggp_mpi", {}}), found.within_node);
  take_random_get(run.upcxx({2, 1, "random_get_upcxx", {}}), found.within_node);
  take_accesses(run.upcxx({2, 1, "streaming_access_upcxx", {}}), "streaming", found);
  take_accesses(run.upcxx({ranks, 1, "natural_ring_upcxx", {}}), "natural ring", found);
  found.others_share = run.others_share();
  return found;
}

/// Median, first and last decile of a quantity in a unit for people, and how many samples.
std::vector<output::Cell> cells(std::string name, const calibration::Measured& measured, double factor,
                                const char* unit) {
  return {std::move(name),       measured.median * factor, std::string(unit),
          measured.p10 * factor, measured.p90 * factor,    measured.samples};
}

void add_messages(output::Table& table, const char* where, const calibration::Messages& messages) {
  for (const auto& [size_bytes, seconds] : messages.times)
    table.rows.push_back(cells(fmt::format("{}, {} B", where, size_bytes), seconds, 1e6, "us"));
  table.rows.push_back(cells(fmt::format("{}, LogGP o_s", where), messages.send_overhead_s, 1e6, "us"));
  table.rows.push_back(cells(fmt::format("{}, LogGP o_r", where), messages.receive_overhead_s, 1e6, "us"));
  for (const auto& [name, value, unit] :
       {std::tuple("L", messages.latency_s * 1e6, "us"), std::tuple("g", messages.gap_s * 1e6, "us"),
        std::tuple("G", messages.gap_s_per_byte * 1e9, "ns/B")})
    table.rows.push_back({fmt::format("{}, LogGP {}", where, name), value, std::string(unit), {}, {}, {}});
  table.rows.push_back(cells(fmt::format("{}, random get", where), messages.get_s, 1e6, "us"));
}

std::vector<output::Table> tables_of(const calibration::Calibration& found, const CalibrateFlags& options) {
  const auto columns = [](output::Column first) {
    return std::vector<output::Column>{std::move(first), {"median", "median"}, {"unit", "unit"},
                                       {"p10", "10 %"},  {"p90", "90 %"},      {"samples", "of"}};
  };
  output::Table properties{
      .title = fmt::format("{}, {} cores: {}", found.cpu, found.cores, options.out.string()),
      .columns = columns({"property", "property"}),
      .rows = {},
      .notes = {}};
  for (const calibration::CalibratedProperty& property : calibrated_properties(found)) {
    properties.rows.push_back(cells(property.name, property.value, 1, property.unit.c_str()));
    properties.notes.push_back(fmt::format("{}: {}", property.name, property.origin));
  }
  for (const auto& [what, worst_deviation, where] : qualities(found))
    properties.notes.push_back(
        fmt::format("Fit of {}: at worst {:+.0f} % {}", what, 100 * worst_deviation, where));
  properties.notes.emplace_back("STREAM counts 24 bytes an element; GBps: 10^9 bytes a second.");
  properties.notes.push_back(fmt::format("{}: {}.", is_quiet(found) ? "Quiet" : "BUSY, so do not trust these",
                                         describe_quietness(found)));
  if (found.oversubscribed) properties.notes.emplace_back("Oversubscribed: more ranks than cores.");
  properties.notes.push_back("CPUs of the ranks: " + found.pinning);

  output::Table others{
      .title = "Also measured", .columns = columns({"what", "what"}), .rows = {}, .notes = {}};
  for (const auto& [ranks, bandwidth] : found.triad_bytes_per_s)
    others.rows.push_back(cells(fmt::format("STREAM triad, {} ranks", ranks), bandwidth, 1e-9, "GBps"));
  for (const auto& [ranks, seconds] : found.barrier_s)
    others.rows.push_back(cells(fmt::format("barrier, {} ranks", ranks), seconds, 1e6, "us"));
  add_messages(others, "within a node", found.within_node);
  if (found.between_nodes) add_messages(others, "between nodes", *found.between_nodes);
  if (found.replies) {
    const std::string of = fmt::format("{:.0f} B", found.replies->bytes);
    others.rows.push_back(cells(of + " between nodes, expected", found.replies->expected_s, 1e6, "us"));
    others.rows.push_back(cells(of + " between nodes, receive late", found.replies->late_s, 1e6, "us"));
    others.rows.push_back(cells("answer between nodes", found.replies->answer_s, 1e6, "us"));
    others.rows.push_back(cells("answer beside data", found.replies->answer_beside_data_s, 1e6, "us"));
    others.rows.push_back(cells("the rest of that data", found.replies->rest_of_data_s, 1e6, "us"));
  }
  for (const auto& [test, pattern, seconds] : found.accesses)
    others.rows.push_back(cells(fmt::format("{}, {}", test, pattern), seconds, 1e6, "us"));
  others.notes.emplace_back("Messages: half a round trip. LogGP, natural ring, streaming: docs/platforms.md");
  return {properties, others};
}

/// gnuplot's terminal for a picture. @throws InputError
std::string terminal_of(const std::filesystem::path& picture) {
  const std::string extension = picture.extension().string();
  if (extension == ".svg") return "svg";
  if (extension == ".png") return "pngcairo";
  throw InputError("--plot", fmt::format("{} is neither .svg nor .png", picture.string()), "Name it so");
}

/// A picture, and beside it the script, from which it can be drawn again.
class Plot {
 public:
  Plot(const std::filesystem::path& picture, const Protection& protection)
      : terminal_(terminal_of(picture)),
        script_path_(std::filesystem::path(picture).replace_extension(".gp")),
        script_(script_path_, calibration::plot_script_kind(), protection),
        picture_(picture, calibration::marked_picture_kind(picture.extension().string()), protection) {}

  void draw(const calibration::Calibration& found) {
    script_.write(plot_script(found, terminal_));
    script_.commit();
    const Output output = read_output({"gnuplot", script_path_.string()});
    if (output.exit_code != 0) {
      throw InputError("gnuplot", fmt::format("failed with exit code {}", output.exit_code),
                       fmt::format("Run it alone to see why: gnuplot {}", script_path_.string()));
    }
    picture_.write(calibration::marked_picture(output.text));
    picture_.commit();
  }

 private:
  std::string terminal_;
  std::filesystem::path script_path_;
  AtomicFile script_;
  AtomicFile picture_;
};

void check(const CalibrateFlags& options) {
  if (options.ranks.value_or(1) < 1)
    throw InputError("--ranks", fmt::format("{} is not a number of ranks", *options.ranks), "Give 1 or more");
  if (!options.launcher.hostfile.empty() && options.nodes == 1)
    throw InputError("--hostfile", "one node is measured without it", "Give --nodes as well");
  if (options.array_size) parse_size_bytes(*options.array_size, "--bytes");
  if (!options.messages.empty()) micro::parse_message_sizes(options.messages);
}

FileKind noise_kind() {
  return {"a recording of noise", {".csv"}, [](std::string_view content) {
            return content.starts_with("# noise_mpi:");
          }};
}

void calibrate(const CalibrateFlags& options) {
  const output::Format format = output::parse_format(options.format);
  check(options);
  const Protection protection{options.launcher.hostfile.empty()
                                  ? std::vector<std::filesystem::path>{}
                                  : std::vector<std::filesystem::path>{options.launcher.hostfile},
                              options.force};
  AtomicFile file(options.out, calibration::calibrated_platform_kind(), protection);
  std::optional<Plot> plot;
  if (options.plot) plot.emplace(*options.plot, protection);
  std::optional<AtomicFile> noise;
  if (options.noise) noise.emplace(*options.noise, noise_kind(), protection);
  Benchmarks run(options);
  const calibration::Calibration found = measure(options, run);
  if (noise) noise->write(run.noise({ranks_of(options), 1, "noise_mpi", {}}));
  if (!options.even_if_busy) refuse_busy(found);
  refuse_bad_fits(found, options.worst_fit_percent / 100);
  if (plot) plot->draw(found);
  if (noise) noise->commit();
  file.write(platform_xml(found));
  file.commit();
  print(std::cout, tables_of(found, options), format);
}

}  // namespace

void add_calibrate_command(CLI::App& app) {
  auto options = std::make_shared<CalibrateFlags>();
  auto* command = app.add_subcommand(
      "calibrate",
      "Measures this machine, and writes it as a SimGrid platform: each number with its spread in a "
      "comment;\n"
      "memory bandwidth by number of ranks (STREAM), and messages between two ranks (MPI ping-pong, to "
      "which\n"
      "latency + size / bandwidth is fitted; above the eager limit, three latencies). LogGP's parameters,\n"
      "barriers, and single accesses in UPC++ are measured and shown as well; docs/platforms.md says which\n"
      "number goes where. Takes some 8 s. What else runs meanwhile is measured too, so a busy machine is "
      "refused (--even-if-busy).\n"
      "For a cluster (--nodes, in a Slurm allocation or with --hostfile) it measures this node, and the\n"
      "network between two nodes. It then writes a cluster of that many nodes behind one ideal switch.");
  command->add_option("--out", options->out, "Platform file to write, e.g. this.xml")->required();
  command->add_option("--plot", options->plot,
                      "Draw points and fit into this .svg or .png; the gnuplot script stays beside it");
  command->add_option(
      "--noise", options->noise,
      "Also record what the operating system takes of each core, into this .csv, for replay --noise");
  add_force(*command, options->force);
  command
      ->add_option("--worst-fit", options->worst_fit_percent,
                   "Write nothing if a fit is more than this many percent away from a measured median")
      ->check(number_between(0, 1e6))
      ->capture_default_str();
  command->add_flag(
      "--even-if-busy", options->even_if_busy,
      fmt::format("Measure once, and write the file however busy the machine is. Without this flag, measures "
                  "up to three times. It refuses to write the file if other programs still have more than "
                  "{:.0f} % of the CPUs' time, or if STREAM's repeats lie {:.0f} % apart",
                  100 * calibration::most_others_share, 100 * calibration::most_spread));
  command->add_option("--ranks", options->ranks, "Most ranks to measure (default: one a core)");
  command->add_option("--nodes", options->nodes, "Nodes of the cluster; the network is measured between two")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  add_launcher_options(*command, options->launcher);
  command->add_option("--bytes", options->array_size,
                      "Size of each STREAM array (default: 4 x the last-level cache), e.g. 512MiB");
  command
      ->add_option("--messages", options->messages,
                   "Sizes of the ping-pong's messages: the smallest, and those that your code sends "
                   "(default: twelve from 8 B to 1 MiB)")
      ->delimiter(',');
  command->add_option("--format", options->format, "Output: table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command->footer(
      "Examples: finegrain calibrate --out this.xml --plot this.svg\n"
      "          salloc -N 4 finegrain calibrate --nodes 4 --out cluster.xml\n"
      "          finegrain calibrate --out this.xml --noise this.csv\n"
      "          finegrain calibrate --messages 8B,64KiB,512KiB --out large-messages.xml");
  command->callback([options] { calibrate(*options); });
}

}  // namespace finegrain::cli
