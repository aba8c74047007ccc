// SPDX-License-Identifier: MIT
//
// STREAM triad a[i] = b[i] + s * c[i] by number of ranks: what one rank alone gets of its node's memory, and
// what all get together. 24 bytes are counted an element (b and c read, a written; not the read of a that a
// cache may do before it is written). All ranks are started once; those that are not taking part sleep.
// Parse, allocate, time after a warm-up, validate.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "kernels/machine/array.hpp"
#include "kernels/machine/cpus.hpp"
#include "kernels/machine/memory.hpp"
#include "kernels/micro/statistics.hpp"
#include "kernels/run/clock.hpp"
#include "kernels/run/node_layout.hpp"
#include "kernels/run/run_options.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain {
namespace {

constexpr std::int64_t bytes_per_element = 3 * sizeof(double);
constexpr double scalar = 3.0;
constexpr double fewest_repetitions = 3;
/// McCalpin's rule for STREAM: each array at least four times the last-level caches.
constexpr std::int64_t array_per_cache = 4;
constexpr std::int64_t cache_bytes_if_unknown = std::int64_t{64} << 20;

struct Options {
  std::optional<std::string> bytes;
  double seconds = 2.0;
};

Options parse(const MpiSession& mpi, int argc, char** argv) {
  Options options;
  CLI::App app{"STREAM triad by number of ranks on one node; JSON on stdout."};
  app.add_option("--bytes", options.bytes,
                 "size of each of the three arrays, summed over ranks, e.g. 512MiB\n"
                 "(default: 4 x the last-level cache, if memory allows)");
  app.add_option("--seconds", options.seconds, "time to spend on all numbers of ranks together")
      ->check(CLI::Range(0.001, 3600.0))
      ->capture_default_str();
  parse_command_line(mpi, app, argc, argv);
  return options;
}

/// Elements of each array, summed over the ranks that take part: the same for every number of ranks.
std::int64_t choose_elements(const Options& options, int ranks) {
  if (options.bytes) {
    const double bytes = parse_size_bytes(*options.bytes, "--bytes");
    const auto elements = static_cast<std::int64_t>(bytes / sizeof(double));
    if (elements >= ranks) return elements;
    throw InputError(fmt::format("--bytes: {} is too small for {} ranks. Give at least {}B", *options.bytes,
                                 ranks, 8 * ranks));
  }
  const std::int64_t cache = last_level_cache_bytes(allowed_cpus()).value_or(cache_bytes_if_unknown);
  std::int64_t array_bytes = array_per_cache * cache;
  // Rank r keeps its share for the smallest team it is in, 1/(r+1) of an array: harmonic, below 1 +
  // ln(ranks).
  double arrays = 0;
  for (int rank = 0; rank < ranks; ++rank)
    arrays += 3.0 / (rank + 1);
  if (const auto memory = available_memory_bytes()) {
    const double half_of_memory = 0.5 * static_cast<double>(*memory);
    array_bytes = std::min(array_bytes, static_cast<std::int64_t>(half_of_memory / arrays));
  }
  return std::max<std::int64_t>(array_bytes / static_cast<std::int64_t>(sizeof(double)), ranks);
}

struct Arrays {
  Array<double> a, b, c;
};

double b_value(std::int64_t i) {
  return 1.0 + static_cast<double>(i % 64);
}
double c_value(std::int64_t i) {
  return 0.5 * static_cast<double>(i % 32);
}

Arrays allocate_arrays(std::int64_t elements) {
  Arrays arrays{allocate<double>(elements), allocate<double>(elements), allocate<double>(elements)};
  for (std::int64_t i = 0; i < elements; ++i) {
    arrays.a[i] = 0.0;
    arrays.b[i] = b_value(i);
    arrays.c[i] = c_value(i);
  }
  return arrays;
}

void triad(Arrays& arrays, std::int64_t elements) {
  double* a = arrays.a.get();
  const double* b = arrays.b.get();
  const double* c = arrays.c.get();
#pragma GCC ivdep
  for (std::int64_t i = 0; i < elements; ++i)
    a[i] = b[i] + scalar * c[i];
}

bool is_triad(const Arrays& arrays, std::int64_t elements) {
  for (std::int64_t i = 0; i < elements; ++i)
    if (arrays.a[i] != b_value(i) + scalar * c_value(i)) return false;
  return true;
}

/// 1, 2, 3, 4, 6, 9, ... and all ranks.
std::vector<int> team_sizes(int ranks) {
  std::vector<int> sizes;
  for (int size = 1; size < ranks; size = std::max(size + 1, size * 3 / 2))
    sizes.push_back(size);
  sizes.push_back(ranks);
  return sizes;
}

/// Sleeps until every rank has come, so that ranks without work leave cores and memory alone.
void meet_asleep(const MpiSession& mpi) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(mpi.comm(), &request);
  for (int arrived = 0; arrived == 0; MPI_Test(&request, &arrived, MPI_STATUS_IGNORE))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Seconds of one triad by all ranks of a team, the slowest one's.
double time_triad(Arrays& arrays, std::int64_t elements, MPI_Comm team) {
  MPI_Barrier(team);
  const std::int64_t start_ns = clock_ns();
  triad(arrays, elements);
  double seconds = static_cast<double>(clock_ns() - start_ns) * 1e-9;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, team);
  return seconds;
}

/// Collective in the team: bandwidths of all its ranks together, one a repetition, after one of warm-up.
std::vector<double> measure_team(Arrays& arrays, std::int64_t elements, double bytes, double seconds,
                                 MPI_Comm team) {
  const double warm_up_s = time_triad(arrays, elements, team);
  const int repetitions = static_cast<int>(std::clamp(seconds / warm_up_s, fewest_repetitions, 100.0));
  std::vector<double> bandwidths;
  for (int i = 0; i < repetitions; ++i)
    bandwidths.push_back(bytes / time_triad(arrays, elements, team));
  return bandwidths;
}

int run(const MpiSession& mpi, int argc, char** argv) {
  const Options options = parse(mpi, argc, argv);
  const NodeLayout layout = find_node_layout(mpi, 1, std::nullopt);
  together(mpi, [&] {
    if (layout.ranks_per_node < mpi.ranks())
      throw InputError("stream_mpi: ranks on several nodes (it measures one node's memory). Start it on one");
  });
  std::int64_t elements = together(mpi, [&] { return choose_elements(options, mpi.ranks()); });
  MPI_Bcast(&elements, 1, MPI_INT64_T, 0, mpi.comm());
  Arrays arrays = together(mpi, [&] { return allocate_arrays(elements / (mpi.rank() + 1)); });

  nlohmann::ordered_json teams = nlohmann::ordered_json::array();
  const std::vector<int> sizes = team_sizes(mpi.ranks());
  bool valid = true;
  for (const int size : sizes) {
    const bool takes_part = mpi.rank() < size;
    MPI_Comm team = MPI_COMM_NULL;
    MPI_Comm_split(mpi.comm(), takes_part ? 0 : MPI_UNDEFINED, mpi.rank(), &team);
    if (takes_part) {
      const std::int64_t share = elements / size;
      const double bytes = static_cast<double>(share) * size * bytes_per_element;
      const auto bandwidths =
          measure_team(arrays, share, bytes, options.seconds / static_cast<double>(sizes.size()), team);
      valid = valid && is_triad(arrays, share);
      const Spread spread = spread_of(bandwidths);
      teams.push_back({{"ranks", size},
                       {"repetitions", bandwidths.size()},
                       {"best_bytes_per_s", spread.largest},
                       {"median_bytes_per_s", spread.median},
                       {"worst_bytes_per_s", spread.smallest}});
      MPI_Comm_free(&team);
    }
    meet_asleep(mpi);
  }
  together(mpi, [&] {
    if (!valid) throw InputError("stream_mpi: the triad's result is wrong (memory, or a bug). Run it again");
  });
  if (mpi.is_first()) {
    const nlohmann::ordered_json result = {
        {"program", "stream_mpi"},
        {"kernel", "a = b + s * c, 24 bytes counted an element"},
        {"cpu", cpu_model()},
        {"cores", layout.cores},
        {"oversubscribed", layout.oversubscribed},
        {"array_bytes", elements * static_cast<std::int64_t>(sizeof(double))},
        {"by_ranks", teams}};
    fmt::print("{}\n", result.dump(2));
  }
  return 0;
}

}  // namespace
}  // namespace finegrain

int main(int argc, char** argv) {
  return finegrain::run_mpi_program(argc, argv, finegrain::run);
}
