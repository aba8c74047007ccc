// SPDX-License-Identifier: MIT
// What a message costs a replay, and how far the ranks' times are from one SimGrid flow a message: the
// error-cost curve. SMPI's replay of the same messages stands beside it.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "bench_traffic.hpp"
#include "kernels/problem/left_ventricle_matrix.hpp"
#include "kernels/problem/matrix_file.hpp"
#include "sim/replay/replay.hpp"
#include "small_platform.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"
#include "traces/formats/imported_trace.hpp"
#include "traces/io/input_error.hpp"
#include "traces/quantile.hpp"
#include "traces/time_independent.hpp"
#include "traces/trace_reader.hpp"

namespace {

using namespace finegrain;
using namespace finegrain::platform;
using namespace finegrain::problem;
using namespace finegrain::replay;

struct Options {
  std::string matrix;
  std::int64_t tets = 1'000'000;
  std::vector<std::string> topologies{"fat_tree", "switch", "torus"};
  std::vector<std::string> traffic{"condensed", "block", "heat", "random", "regular"};
  std::vector<int> ranks{64, 256, 1024};
  std::vector<double> tolerances{0.05, 0.02, 0.01, ReplayOptions().share_tolerance, 0.002, 0};
  std::int64_t iterations = 10;
  bool costs_only = false;
  bool smpi = false;
  int smpi_limit_s = 300;
};

constexpr int exit_code_of_timeout = 124;

double cpu_s_of(decltype(RUSAGE_SELF) who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// CPU time of this process' children that have ended, and theirs.
double children_s() {
  return cpu_s_of(RUSAGE_CHILDREN);
}

/// Loops are found before a child is made.
double with_children_s() {
  return cpu_s_of(RUSAGE_SELF) + children_s();
}

/// 64 nodes of 16 ranks and more, NICs and links as platforms/hdr_infiniband.xml has.
std::string cluster(const std::string& topology) {
  const std::string shape = topology == "torus" ? "topology='TORUS' topo_parameters='4,4,4'"
                            : topology == "fat_tree"
                                ? "topology='FAT_TREE' topo_parameters='2;16,4;1,8;1,1'"  // half bisection
                                : "";
  return fmt::format(
      "<cluster id='c' prefix='node-' suffix='' radical='0-63' speed='25Gf' bw='200Gbps' lat='300ns' "
      "sharing_policy='SPLITDUPLEX' loopback_bw='100GBps' loopback_lat='400ns' {}/>",
      shape);
}

void set_costs(PlatformCosts& costs) {
  costs.memory_bandwidth_bytes_per_s = 348e9;
  costs.memory_bandwidth_per_core_bytes_per_s = 25e9;
  costs.message_overhead_s = 300e-9;
  costs.local_latency_s = 400e-9;
}

/// A trace of a program whose ranks do so many times what one iteration of a schedule says, a call an
/// operation; work takes the time that it takes when the schedule is simulated: the ranks of a node share its
/// memory.
void write_program(const Schedule& schedule, std::int64_t steps, const ReplayResult& simulated,
                   const std::filesystem::path& folder) {
  formats::ImportedTrace trace(folder, schedule.run.ranks);
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    formats::RankCalls calls;
    double now_ns = 0;
    std::int64_t open = 0;  // requests
    const auto begin = [&](const char* function) {
      calls.begin(RegionName(function), static_cast<std::int64_t>(now_ns));
    };
    begin("MPI_Init");
    for (std::int64_t step = 0; step < steps; ++step) {
      const Body& body = schedule.ranks[rank];
      for (std::size_t o = 0, region = 0; o < body.operations.size(); ++o) {
        while (o >= static_cast<std::size_t>(body.regions[region].first_operation) +
                        static_cast<std::size_t>(body.regions[region].operation_count))
          ++region;
        const Operation& operation = body.operations[o];
        if (std::holds_alternative<Work>(operation)) {
          now_ns +=
              1e9 * simulated.ranks[rank].phases_s[region] / static_cast<double>(schedule.run.iterations);
        } else if (const auto* complete = std::get_if<Complete>(&operation);
                   complete != nullptr && complete->is_all()) {
          begin("MPI_Waitall");
          if (open > 0) calls.add(Complete{open, open});
          open = 0;
        } else {
          begin("MPI_Isend, MPI_Irecv");
          open += calls.add(operation) > 0 ? 1 : 0;
        }
      }
    }
    begin("MPI_Finalize");
    trace.write(static_cast<int>(rank), calls);
  }
  trace.finish({"bench_replay", {}});
}

/// One line of the table for each way to replay one schedule.
class Bench {
 public:
  Bench(std::string name, const Schedule& schedule, const Platform& platform)
      : name_(std::move(name)),
        schedule_(schedule),
        platform_(platform),
        messages_(static_cast<double>(count_messages(schedule) * schedule.run.iterations)) {}

  void replay_with_flows_of_messages() {
    ReplayOptions options = all_iterations();
    options.one_flow_per_message = true;
    const double start_s = children_s();
    reference_ = replay::replay(schedule_, platform_, options);
    print("one flow a message", children_s() - start_s, "");
  }

  /// Instead of that: errors are relative to the same engine, with links shared exactly.
  void replay_exactly() {
    ReplayOptions options = all_iterations();
    options.share_tolerance = 0;
    reference_ = replay::replay(schedule_, platform_, options);
  }

  void replay_with(double tolerance) {
    ReplayOptions options = all_iterations();
    options.share_tolerance = tolerance;
    const double start_s = children_s();
    const ReplayResult result = replay::replay(schedule_, platform_, options);
    const double cpu_s = children_s() - start_s;
    std::vector<double> errors;
    for (std::size_t rank = 0; rank < result.ranks.size(); ++rank)
      errors.push_back(100 * std::abs(result.ranks[rank].finish_s / reference_.ranks[rank].finish_s - 1));
    print(fmt::format("tolerance {:g} %{}", 100 * tolerance,
                      tolerance == ReplayOptions().share_tolerance ? " *" : ""),
          cpu_s,
          fmt::format("{:>8.4f} {:>7.4f} {:>7.4f}", 100 * std::abs(result.total_s / reference_.total_s - 1),
                      quantile(errors, 0.99), *std::ranges::max_element(errors)));
  }

  /// Read from a recording, call by call: one step, several of which each is simulated, and several as usual,
  /// where equal steps are simulated until nothing changes. No MPI library is named, so that a rank makes its
  /// copies within a node itself, as in the schedule.
  /// @pre all messages are two-sided, and work is alone in its regions
  void replay_as_recorded_program(std::int64_t steps) {
    replay_recorded("recorded", 1, all_iterations());
    replay_recorded(fmt::format("recorded, {} steps", steps), steps, all_iterations());
    replay_recorded(fmt::format("{} steps, folded", steps), steps, ReplayOptions());
  }

  /// @pre all messages are two-sided
  void replay_with_smpi(int limit_s) {
    const test::TemporaryFolder scratch;
    const double flops_per_byte = 1;  // the hosts' speed is that of a core's memory
    write_time_independent(schedule_, flops_per_byte, scratch / "ti");
    const std::filesystem::path hosts = scratch / "hosts";
    std::ofstream file(hosts);
    for (int rank = 0; rank < schedule_.run.ranks; ++rank)
      file << "node-" << rank / ranks_of_node << '\n';
    file.close();
    for (const std::string option : {"", "--cfg=smpi/send-is-detached-thresh:0"}) {
      const double start_s = children_s();
      const int status =
          std::system(fmt::format("timeout {} smpirun -np {} -hostfile {} -platform {} -replay {} {} "
                                  ">/dev/null 2>&1",
                                  limit_s, schedule_.run.ranks, hosts.string(), platform_.file.string(),
                                  (scratch / "ti/trace.txt").string(), option)
                          .c_str());
      const std::string way = option.empty() ? "SMPI" : "SMPI, thresh:0";
      const bool is_stopped = WIFEXITED(status) && WEXITSTATUS(status) == exit_code_of_timeout;
      print(way, children_s() - start_s,
            status == 0  ? ""
            : is_stopped ? fmt::format("stopped after {} s", limit_s)
                         : "failed");
    }
  }

 private:
  void replay_recorded(const std::string& way, std::int64_t steps, const ReplayOptions& options) {
    const test::TemporaryFolder scratch;
    write_program(schedule_, steps, reference_, scratch / "trace");
    const Trace trace(scratch / "trace");
    const RecordedPrograms programs(trace);
    const double start_s = with_children_s();
    const ReplayResult result =
        replay_all({{.schedule = &schedule_, .platform = &platform_, .programs = &programs}}, 1, options)
            .front();
    // What a step takes of one iteration's time says how far it is off only where steps do not overlap.
    print(way, (with_children_s() - start_s) / static_cast<double>(steps),
          steps == 1 ? fmt::format("{:>8.4f}", 100 * std::abs(result.total_s / reference_.total_s - 1)) : "");
  }

  static ReplayOptions all_iterations() {
    ReplayOptions options;
    options.repeat_tolerance = 0;
    return options;
  }

  void print(const std::string& way, double cpu_s, const std::string& errors) const {
    fmt::print("{:<24} {:>7.0f} {:<20} {:>9.2f} {}\n", name_, messages_, way, 1e6 * cpu_s / messages_,
               errors);
    std::fflush(stdout);
  }

  std::string name_;
  const Schedule& schedule_;
  const Platform& platform_;
  double messages_;
  ReplayResult reference_;
};

void measure(const Options& options, const EllpackView& matrix) {
  fmt::print("{:<24} {:>7} {:<20} {:>9} {:>8} {:>7} {:>7}\n", "", "mes-", "", "us CPU a", "makespan", "p99",
             "worst");
  fmt::print("{:<24} {:>7} {:<20} {:>9} {:>8} {:>7} {:>7}\n", "traffic, ranks, network", "sages",
             "replayed with", "message", "error %", "rank %", "rank %");
  for (const std::string& topology : options.topologies) {
    SmallPlatform platform(cluster(topology));
    set_costs(platform.costs());
    for (const std::string& traffic : options.traffic) {
      const bool is_heavy = traffic == "random" || traffic == "regular";
      for (const int ranks : options.ranks) {
        Schedule schedule = traffic_of(traffic, matrix, ranks);
        schedule.run.iterations = is_heavy ? 1 : options.iterations;
        Bench bench(fmt::format("{} {} {}", traffic, ranks, topology), schedule, *platform);
        options.costs_only ? bench.replay_exactly() : bench.replay_with_flows_of_messages();
        for (const double tolerance : options.tolerances)
          bench.replay_with(tolerance);
        if (is_heavy) bench.replay_as_recorded_program(options.iterations);
        if (options.smpi && traffic != "block") bench.replay_with_smpi(options.smpi_limit_s);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "What a message costs a replay in CPU time, start and platform included, and how far the times at\n"
      "which ranks finish are from those with one SimGrid flow a message, by share tolerance (* marks the\n"
      "default). condensed, block, heat: ten iterations; random, regular: one, to 26 ranks chosen at "
      "random,\n"
      "sizes and work +-20 %, or all the same; these also as a recorded program, read from a trace,\n"
      "of one step and of --iterations steps.\n"
      "16 ranks a node. All of it takes half an hour."};
  Options options;
  app.add_option("--matrix", options.matrix, "Matrix file of condensed and block; or")
      ->check(CLI::ExistingFile);
  app.add_option("--tets", options.tets, "a left ventricle of this many tetrahedra, order sbd")
      ->capture_default_str();
  app.add_option("--topologies", options.topologies)
      ->delimiter(',')
      ->check(CLI::IsMember(options.topologies))
      ->capture_default_str();
  app.add_option("--traffic", options.traffic)
      ->delimiter(',')
      ->check(CLI::IsMember(options.traffic))
      ->capture_default_str();
  app.add_option("--ranks", options.ranks, "Powers of two, 1,024 at most")
      ->delimiter(',')
      ->check(CLI::Range(16, 1024))
      ->capture_default_str();
  app.add_option("--tolerances", options.tolerances, "Relative; 0 is exact")
      ->delimiter(',')
      ->check(CLI::Range(0., 1.))
      ->capture_default_str();
  app.add_option("--iterations", options.iterations)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_flag("--costs-only", options.costs_only,
               "Without one flow a message, which takes half an hour of random traffic on 1,024 ranks; "
               "errors are relative to a tolerance of 0");
  app.add_flag("--smpi", options.smpi,
               "Replay two-sided messages with SMPI as well (smpirun -replay), as it comes and with "
               "smpi/send-is-detached-thresh:0");
  app.add_option("--smpi-limit", options.smpi_limit_s, "Seconds after which SMPI is stopped")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.footer("Example: bench_replay --traffic random --ranks 256,1024 --topologies fat_tree --smpi");
  CLI11_PARSE(app, argc, argv);
  try {
    const bool needs_matrix = std::ranges::any_of(
        options.traffic, [](const auto& one) { return one == "condensed" || one == "block"; });
    if (!needs_matrix) {
      measure(options, {});  // its memory would be copied to each simulation's process
    } else if (!options.matrix.empty()) {
      measure(options, MatrixFile(options.matrix).view());
    } else {
      measure(options, left_ventricle_matrix(options.tets, RowOrder::sbd, 1).view());
    }
  } catch (const InputError& error) {
    fmt::print(stderr, "bench_replay: {}\n", error.what());
    return 1;
  }
  return 0;
}
