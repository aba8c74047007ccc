// SPDX-License-Identifier: MIT
//
// What recording costs a program: blocks of iterations of spmv_condensed_mpi, recorded and not. In each round
// there is one block that is recorded, from the creation of its files to their end marks, and two that are
// not, in an order that changes from round to round. A machine's speed changes from second to second, so only
// blocks of one round are compared. The difference between the two that were not recorded shows what chance
// alone does. If that is more than what recording costs, there is still a lower bound: the recorder's calls
// of an iteration, one after the other, without the iteration's work (which would have driven the recorder's
// data from the caches). Parse, allocate, time after a warm-up, validate.
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "kernels/bench/condensed_spmv.hpp"
#include "kernels/bench/scratch_matrix.hpp"
#include "kernels/machine/cpus.hpp"
#include "kernels/micro/statistics.hpp"
#include "kernels/run/clock.hpp"
#include "kernels/run/iteration_progress.hpp"
#include "kernels/run/node_layout.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/quantile.hpp"
#include "traces/rank_file.hpp"
#include "traces/rank_file_reader.hpp"

namespace finegrain::kernels {
namespace {

struct Options {
  std::filesystem::path matrix;
  std::int64_t tets = 1'000'000;
  int iterations = 25;
  int rounds = 40;
  std::filesystem::path folder = std::filesystem::temp_directory_path();
  std::string format = "table";
  bool progress = false;
};

Options parse(const MpiSession& mpi, int argc, char** argv) {
  Options options;
  parse_options(
      mpi,
      "What recording costs spmv_condensed_mpi: its iterations in blocks, recorded and not, by turns.\n"
      "Example: OMP_NUM_THREADS=1 mpirun --bind-to core -n 2 bench_recording",
      {{"--matrix", &options.matrix, "matrix file, as finegrain mesh makes it"},
       {"--tets", &options.tets, "without --matrix: a left ventricle of this many tetrahedra, order sbd", 0,
        1e12},
       {"--iterations", &options.iterations, "of a block", 1, 1'000'000},
       {"--rounds", &options.rounds, "of three blocks, one of them recorded", 1, 1'000'000},
       {"--folder", &options.folder, "where the traces are written, and removed again"},
       {"--format", &options.format, "table or json", {}, {}, {"table", "json"}},
       {"--progress", &options.progress, "say on stderr, once a second, how many rounds are done"}},
      argc, argv);
  return options;
}

/// The folder of this rank's recordings; it is removed at the end.
class ScratchFolder {
 public:
  ScratchFolder(const MpiSession& mpi, const std::filesystem::path& parent)
      : path_(parent / fmt::format("finegrain-bench-{}-{}", ::getpid(), mpi.rank())) {}
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

enum class Block : std::uint8_t { recorded, unrecorded, unrecorded_again };
constexpr std::size_t blocks_of_round = 3;

/// Seconds of an iteration, on the slowest rank.
struct Seconds {
  std::array<std::vector<double>, blocks_of_round> of_blocks;  ///< shape [block][rounds]
  double of_calls = 0;                                         ///< the recorder's calls alone

  const std::vector<double>& of(Block block) const { return of_blocks[static_cast<std::size_t>(block)]; }
};

/// Collective. @returns seconds of the block on the slowest rank
double time_block(const MpiSession& mpi, CondensedSpmv& spmv, int iterations,
                  const std::optional<std::filesystem::path>& folder) {
  mpi.barrier();
  const std::int64_t start_ns = clock_ns();
  std::optional<Recorder> recorder;
  bool whole = true;
  together(mpi, [&] {
    if (folder) recorder.emplace(*folder, mpi.rank(), clock_ns);
  });
  spmv.phases().record_to(recorder ? &*recorder : nullptr);
  for (int i = 0; i < iterations; ++i) {
    spmv.phases().begin_iteration();
    spmv.iterate();
    spmv.phases().end_iteration();
  }
  spmv.phases().record_to(nullptr);
  if (recorder) whole = recorder->finish();
  std::array<double, 1> seconds = {static_cast<double>(clock_ns() - start_ns) * 1e-9};
  mpi.maximize(seconds);
  together(mpi, [&] {
    if (!whole) throw InputError(folder->string(), "no room for a recording", "Give another --folder");
  });
  return seconds[0];
}

/// Collective. @throws KernelExit{1} on every rank if the result is wrong
void warm_up_and_check(const MpiSession& mpi, const Options& options, const SpmvInput& input,
                       CondensedSpmv& spmv) {
  time_block(mpi, spmv, options.iterations, std::nullopt);
  const bool passed = check_against_sequential(mpi, input, options.iterations, spmv.x()).passed;
  together(mpi, [&] {
    if (!passed) throw InputError("bench_recording", "a result is wrong (memory, or a bug)", "Run it again");
  });
}

/// Collective. Records the iteration that this rank has recorded in `folder` again and again, in a new folder
/// beside it. @returns seconds of an iteration on the slowest rank, from the recorder's creation to its end
double time_calls(const MpiSession& mpi, const std::filesystem::path& folder) {
  constexpr int iterations = 100'000;
  std::array<double, 1> seconds = {0};
  together(mpi, [&] {
    RankFileReader recorded(FileSlice(folder / rank_file_name(mpi.rank())), mpi.rank(), mpi.ranks());
    const Shape shape = *recorded.next()->shape;
    const std::int64_t start_ns = clock_ns();
    Recorder recorder(folder / "calls", mpi.rank(), clock_ns);
    for (int i = 0; i < iterations; ++i) {
      recorder.begin_iteration();
      int ended = 0;
      for (const Region& region : shape.body.regions) {
        recorder.begin_region(region.name);
        for (const Operation& operation : shape.body.operations_of(region)) {
          recorder.add(operation);
          if (!std::holds_alternative<Complete>(operation)) continue;
          for (; ended < shape.all_posts; ++ended)
            recorder.ended(ended);
        }
        recorder.end_region();
      }
      recorder.end_iteration();
    }
    recorder.finish();
    seconds[0] = static_cast<double>(clock_ns() - start_ns) * 1e-9 / iterations;
  });
  mpi.maximize(seconds);
  return seconds[0];
}

Seconds time_rounds(const MpiSession& mpi, const Options& options, CondensedSpmv& spmv,
                    const std::filesystem::path& folder) {
  Seconds seconds;
  IterationProgress progress(options.progress && mpi.is_first(), options.rounds);
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t turn = 0; turn < blocks_of_round; ++turn) {
      const std::size_t block = (turn + static_cast<std::size_t>(round)) % blocks_of_round;
      const bool recorded = static_cast<Block>(block) == Block::recorded;
      if (recorded) std::filesystem::remove_all(folder);
      const double block_s =
          time_block(mpi, spmv, options.iterations, recorded ? std::optional(folder) : std::nullopt);
      seconds.of_blocks[block].push_back(block_s / options.iterations);
    }
    progress.finished_one(clock_ns());
  }
  seconds.of_calls = time_calls(mpi, folder);
  return seconds;
}

/// By how many percent a block took longer than the one of the same round that was not recorded.
std::vector<double> percent_longer(const Seconds& seconds, Block block) {
  const std::vector<double>& longer = seconds.of(block);
  const std::vector<double>& base = seconds.of(Block::unrecorded);
  std::vector<double> percent;
  for (std::size_t round = 0; round < base.size(); ++round)
    percent.push_back(100 * (longer[round] / base[round] - 1));
  return percent;
}

double percent_of_calls(const Seconds& seconds) {
  return 100 * seconds.of_calls / micro::median_of(seconds.of(Block::unrecorded));
}

std::string spread(const std::vector<double>& values, int decimals, double factor = 1) {
  return fmt::format("{:>8.{}f}  {:>7.{}f} to {:>7.{}f}", factor * micro::median_of(values), decimals,
                     factor * quantile(values, 0.1), decimals, factor * quantile(values, 0.9), decimals);
}

void print_table(const Options& options, const SpmvInput& input, const NodeLayout& layout, int ranks,
                 const Seconds& seconds) {
  fmt::print("SpMV: {}\n", input.file.description());
  fmt::print("{} x {}{}; {} rounds of 3 x {}: median, first to last decile\n\n", format_count(ranks, "rank"),
             format_count(omp_get_max_threads(), "thread"), layout.oversubscribed ? " (oversubscribed)" : "",
             options.rounds, format_count(options.iterations, "iteration"));
  fmt::print("{:<20}{:>8}{:20}  {:>8}\n", "", "ms", "", "% longer");
  const auto row = [&](const char* name, Block block, const std::string& longer) {
    fmt::print("{:<20}{}  {}\n", name, spread(seconds.of(block), 3, 1e3), longer);
  };
  row("not recorded", Block::unrecorded, "");
  for (const auto& [name, block] :
       {std::pair("recorded", Block::recorded), std::pair("not recorded, again", Block::unrecorded_again)})
    row(name, block, spread(percent_longer(seconds, block), 2));
  fmt::print("\na recorder's calls alone: {:.2f} us an iteration, {:.4f} %\n", 1e6 * seconds.of_calls,
             percent_of_calls(seconds));
}

void print_json(const Options& options, const SpmvInput& input, const NodeLayout& layout, int ranks,
                const Seconds& seconds) {
  const nlohmann::ordered_json result = {
      {"program", "bench_recording"},
      {"matrix", input.file.description()},
      {"cpu", machine::cpu_model()},
      {"ranks", ranks},
      {"threads_per_rank", omp_get_max_threads()},
      {"oversubscribed", layout.oversubscribed},
      {"pinning", layout.pinning},
      {"rounds", options.rounds},
      {"iterations_of_block", options.iterations},
      {"seconds_not_recorded", micro::spread_json(seconds.of(Block::unrecorded))},
      {"seconds_recorded", micro::spread_json(seconds.of(Block::recorded))},
      {"percent_longer_recorded", micro::spread_json(percent_longer(seconds, Block::recorded))},
      {"percent_longer_not_recorded", micro::spread_json(percent_longer(seconds, Block::unrecorded_again))},
      {"seconds_of_calls", seconds.of_calls}};
  micro::print(result);
}

int run(const MpiSession& mpi, int argc, char** argv) {
  const Options options = parse(mpi, argc, argv);
  const NodeLayout layout = find_node_layout(mpi, omp_get_max_threads(), std::nullopt);
  const SpmvInput input = open_matrix(mpi, options.matrix, options.tets);
  CondensedSpmv spmv(mpi, input);
  warm_up_and_check(mpi, options, input, spmv);
  const ScratchFolder scratch(mpi, options.folder);
  const Seconds seconds = time_rounds(mpi, options, spmv, scratch.path());
  if (mpi.is_first()) {
    const auto print = options.format == "json" ? print_json : print_table;
    print(options, input, layout, mpi.ranks(), seconds);
  }
  return 0;
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, finegrain::kernels::run);
}
