// SPDX-License-Identifier: MIT
// What many ranks cost: CPU time and memory of importing and replaying, and of loading large platforms.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "bench_schedules.hpp"

namespace {

using namespace finegrain;
namespace fs = std::filesystem;

struct Options {
  std::string loggopsim;
  std::string txt2bin;
  int rounds = 3;
  bool large = false;
};

/// What a command took.
struct Cost {
  double cpu_s = 0;
  double wall_s = 0;
  double memory_mb = 0;  ///< at most, of the largest of its processes
};

/// In units of the table; 0: there is none.
struct Goal {
  double cpu_s = 0;
  double memory_mb = 0;
};

/// A schedule that is imported, and replayed on a cluster with one switch, a rank for each node.
struct ScheduleRow {
  std::string name;
  int ranks;
  std::function<void(std::FILE*, int)> write;
  Goal goal;
  Goal import_goal = {};
};

/// @returns none if the command fails: its errors are on stderr
std::optional<Cost> cost_of(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) < 0 || status != 0) return std::nullopt;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return Cost{seconds(usage.ru_utime) + seconds(usage.ru_stime),
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
              static_cast<double>(usage.ru_maxrss) * 1024 / 1e6};
}

/// The median of each column.
/// @param before  is called before each round
std::optional<Cost> median_cost(
    const std::vector<std::string>& command, int rounds, const std::function<void()>& before = [] {}) {
  std::vector<Cost> costs;
  for (int round = 0; round < rounds; ++round) {
    before();
    const std::optional<Cost> cost = cost_of(command);
    if (!cost) return std::nullopt;
    costs.push_back(*cost);
  }
  const auto median = [&](double Cost::*column) {
    std::ranges::sort(costs, {}, column);
    return costs[costs.size() / 2].*column;
  };
  return Cost{median(&Cost::cpu_s), median(&Cost::wall_s), median(&Cost::memory_mb)};
}

void print_head() {
  fmt::print("{:<34}{:>8}{:>8}{:>7}   {:>13}   {}\n", "work", "CPU s", "wall s", "MB", "goal CPU s/MB",
             "LogGOPSim");
}

void print_row(const std::string& work, const std::optional<Cost>& cost, const Goal& goal,
               const std::string& peer = "") {
  const auto figure = [](double value) { return value > 0 ? fmt::format("{:g}", value) : std::string("-"); };
  const std::string goals = fmt::format("{} / {}", figure(goal.cpu_s), figure(goal.memory_mb));
  if (cost)
    fmt::print("{:<34}{:>8.2f}{:>8.2f}{:>7.0f}   {:>13}   {}\n", work, cost->cpu_s, cost->wall_s,
               cost->memory_mb, goals, peer);
  else
    fmt::print("{:<34}{:>23}   {:>13}   {}\n", work, "fails (see stderr)", goals, peer);
  std::fflush(stdout);
}

std::string peer_text(const std::optional<Cost>& cost) {
  return cost ? fmt::format("{:.2f} s, {:.0f} MB", cost->cpu_s, cost->memory_mb) : "fails";
}

class Bench {
 public:
  Bench(Options options, fs::path finegrain, fs::path folder)
      : options_(std::move(options)), finegrain_(std::move(finegrain)), folder_(std::move(folder)) {}

  void measure(const ScheduleRow& row) const {
    const std::string goal = write("schedule.goal", [&](std::FILE* file) { row.write(file, row.ranks); });
    const std::string platform =
        write("platform.xml", [&](std::FILE* file) { test::write_single_switch(file, row.ranks); });
    const auto import_as = [&](const fs::path& trace) {
      return median_cost({finegrain_, "trace", "import", goal, "--out", trace}, options_.rounds,
                         [&] { fs::remove_all(trace); });
    };
    const fs::path trace = folder_ / "trace.tar";
    print_row("import as a folder", import_as(folder_ / "trace"), {});
    fs::remove_all(folder_ / "trace");
    const auto imported = import_as(trace);
    print_row("import " + row.name, imported, row.import_goal, peers_import(goal));
    if (imported)
      print_row("replay " + row.name,
                median_cost(
                    {finegrain_, "replay", "--trace", trace, "--platform", platform, "--ranks-per-node", "1"},
                    options_.rounds),
                row.goal, peers_replay());
    fs::remove_all(trace);
  }

  void measure_loading(const std::string& name, int nodes, void (*write_platform)(std::FILE*, int),
                       const Goal& goal) const {
    const std::string platform = write("platform.xml", [&](std::FILE* file) { write_platform(file, nodes); });
    print_row(name, median_cost({finegrain_, "platform", platform}, options_.rounds), goal);
  }

 private:
  std::string write(const char* name, const std::function<void(std::FILE*)>& writer) const {
    const fs::path path = folder_ / name;
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (file == nullptr) throw std::system_error(errno, std::generic_category(), path.string());
    writer(file);
    const bool is_whole = std::ferror(file) == 0;
    if (std::fclose(file) != 0 || !is_whole)
      throw std::system_error(errno, std::generic_category(), path.string());
    return path;
  }

  std::string peers_import(const std::string& goal) const {
    if (options_.txt2bin.empty()) return "";
    return peer_text(
        median_cost({options_.txt2bin, "-i", goal, "-o", folder_ / "schedule.bin"}, options_.rounds));
  }
  std::string peers_replay() const {
    if (options_.loggopsim.empty()) return "";
    return peer_text(median_cost({options_.loggopsim, "-f", folder_ / "schedule.bin"}, options_.rounds));
  }

  Options options_;
  fs::path finegrain_;
  fs::path folder_;
};

/// Goals: issue "A million ranks on two cores".
std::vector<ScheduleRow> all_rows(bool large) {
  std::vector<ScheduleRow> rows{
      {"dissemination, 16384 ranks", 16384, test::write_dissemination, {1.2, 150}, {1, 0}},
      {"halo, 16384 ranks, 3 steps",
       16384,
       [](auto* file, int ranks) { test::write_halo(file, ranks, 3); },
       {0.9, 120}},
      {"permutations, 1024 ranks x 100",
       1024,
       [](auto* file, int ranks) { test::write_permutations(file, ranks, 100); },
       {0.3, 40}},
      {"alltoall, 1024 ranks", 1024, test::write_alltoall, {4, 400}},
      {"broadcast, 65536 ranks", 65536, test::write_broadcast, {0.6, 150}}};
  if (large) rows.push_back({"broadcast, 1048576 ranks", 1048576, test::write_broadcast, {15, 2000}});
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Imports GOAL schedules of many ranks, replays them on a cluster with one switch, and loads large\n"
      "platforms. Prints CPU seconds and memory beside the figures that are to be reached. The files are\n"
      "made in a temporary folder, which is removed."};
  Options options;
  auto* txt2bin =
      app.add_option("--txt2bin", options.txt2bin, "LogGOPSim's converter, to compare imports with")
          ->check(CLI::ExistingFile);
  app.add_option("--loggopsim", options.loggopsim,
                 "LogGOPSim, to compare replays with. It simulates no links, so it does less")
      ->check(CLI::ExistingFile)
      ->needs(txt2bin);
  app.add_option("--rounds", options.rounds, "Measurements, of which the median is shown")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--large", options.large, "Also what takes minutes: 1048576 ranks");
  CLI11_PARSE(app, argc, argv);
  std::string name = (fs::temp_directory_path() / "bench_scale_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    fmt::print(stderr, "bench_scale: {}: {}\n", name, std::generic_category().message(errno));
    return 1;
  }
  try {
    const Bench bench(options, fs::canonical("/proc/self/exe").parent_path() / "finegrain", name);
    print_head();
    for (const ScheduleRow& row : all_rows(options.large))
      bench.measure(row);
    for (int nodes = 4096; nodes <= 65536; nodes *= 2)
      bench.measure_loading(fmt::format("load a fat tree, {} nodes", nodes), nodes, test::write_fat_tree,
                            nodes == 65536 ? Goal{0.3, 0} : Goal{});
    bench.measure_loading("load a single switch, 65536 nodes", 65536, test::write_single_switch, {0.3, 0});
  } catch (const std::system_error& error) {
    fmt::print(stderr, "bench_scale: {}\n", error.what());
    fs::remove_all(name);
    return 1;
  }
  fs::remove_all(name);
  return 0;
}
