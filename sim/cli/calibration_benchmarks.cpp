// SPDX-License-Identifier: MIT
#include "sim/cli/calibration_benchmarks.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "kernels/machine/cpu_time.hpp"
#include "kernels/machine/identity.hpp"
#include "sim/calibration/benchmark_results.hpp"
#include "sim/calibration/fits.hpp"
#include "sim/calibration/quietness.hpp"
#include "sim/cli/progress.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::cli {
namespace {

using nlohmann::json;

/// Runs the benchmarks, one after the other, and keeps the user informed.
class Benchmarks {
 public:
  explicit Benchmarks(const BenchmarkFlags& options)
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

  const BenchmarkFlags& options_;
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
void measure_pingpong(const BenchmarkFlags& options, Run run, calibration::Messages& found) {
  constexpr int attempts = 3;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    found.times.clear();
    take_pingpong(run(), found);
    if (std::abs(fit_messages(found).worst_deviation) <= options.worst_fit_percent / 100) return;
  }
}

/// STREAM; again if its repeats lie far apart.
template <class Run>
void measure_stream(const BenchmarkFlags& options, Run run, calibration::Calibration& found) {
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

int ranks_of(const BenchmarkFlags& options) {
  return options.ranks.value_or(cores_here());
}

}  // namespace

calibration::Calibration run_benchmarks(const BenchmarkFlags& options) {
  Benchmarks run(options);
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
    const int asked = std::min(options.nodes, 4);
    take_replies(
        run.mpi_between_nodes({asked, 1, "replies_mpi", {"--bytes", fmt::format("{:.0f}", long_bytes)}}),
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

std::string record_noise(const BenchmarkFlags& options) {
  return Benchmarks(options).noise({ranks_of(options), 1, "noise_mpi", {}});
}

}  // namespace finegrain::cli
