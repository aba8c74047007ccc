// SPDX-License-Identifier: MIT
//
// Memory bandwidth by number of ranks: what one rank alone gets of its node's memory, and what all get
// together. Three passes over arrays that no cache holds: STREAM's triad a = b + s * c (counted as 24 bytes
// an element), its copy a = b (16), and a sum of b (8). As STREAM counts, a write is its 8 bytes: a cache
// that reads the line before it writes moves 8 more. All ranks are started once; those that are not taking
// part sleep. Parse, allocate, time after a warm-up, validate.
// Source: J. D. McCalpin, Memory bandwidth and machine balance in current high performance computers, 1995.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernels/machine/array.hpp"
#include "kernels/machine/cpus.hpp"
#include "kernels/machine/memory.hpp"
#include "kernels/micro/statistics.hpp"
#include "kernels/micro/teams.hpp"
#include "kernels/mpi/mpi_session.hpp"
#include "kernels/run/clock.hpp"
#include "kernels/run/node_layout.hpp"
#include "kernels/run/run_options.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::micro {
namespace {

constexpr double scalar = 3.0;
constexpr double fewest_repetitions = 3;
/// McCalpin's rule for STREAM: each array at least four times the last-level caches.
constexpr std::int64_t array_per_cache = 4;
constexpr std::int64_t cache_bytes_if_unknown = std::int64_t{64} << 20;

struct Options {
  std::string bytes;  ///< empty: 4 x the last-level cache
  double seconds = 2.0;
  std::vector<std::string> passes = {"triad", "copy", "read"};
};

Options parse(const kernels::MpiSession& mpi, int argc, char** argv) {
  Options options;
  parse_options(
      mpi,
      "Memory bandwidth of one node by number of ranks (1, 2, 3, 4, 6, 9, ... all): STREAM's triad and copy, "
      "and\na sum (reads only); JSON on stdout. The first row is what one core gets, the last what a node "
      "has; "
      "where\nthe curve flattens, more ranks bring nothing to a code that waits for memory.\n"
      "Example: mpirun --bind-to core -n 16 stream_mpi",
      {{"--bytes", &options.bytes,
        "size of each of the three arrays, summed over ranks, e.g. 512MiB\n"
        "(default: 4 x the last-level cache, if memory allows)"},
       {"--seconds", &options.seconds, "time to spend on all passes and numbers of ranks together", 0.001,
        3600.0},
       {"--passes",
        &options.passes,
        "which of triad, copy, read to time",
        {},
        {},
        {"triad", "copy", "read"}}},
      argc, argv);
  return options;
}

/// Elements of each array, summed over the ranks that take part: the same for every number of ranks.
std::int64_t choose_elements(const Options& options, int ranks) {
  if (!options.bytes.empty()) {
    const double bytes = parse_size_bytes(options.bytes, "--bytes");
    const auto elements = static_cast<std::int64_t>(bytes / sizeof(double));
    if (elements >= ranks) return elements;
    throw InputError("--bytes", fmt::format("{} is too small for {} ranks", options.bytes, ranks),
                     fmt::format("Give at least {}B", 8 * ranks));
  }
  const std::int64_t cache =
      machine::last_level_cache_bytes(machine::allowed_cpus()).value_or(cache_bytes_if_unknown);
  std::int64_t array_bytes = array_per_cache * cache;
  // Rank r keeps 1/(r+1) of an array, its share in the smallest team that it is in. The sum over all ranks is
  // harmonic, below 1 + ln(ranks).
  double arrays = 0;
  for (int rank = 0; rank < ranks; ++rank)
    arrays += 3.0 / (rank + 1);
  if (const auto memory = machine::available_memory_bytes()) {
    const double half_of_memory = 0.5 * static_cast<double>(*memory);
    array_bytes = std::min(array_bytes, static_cast<std::int64_t>(half_of_memory / arrays));
  }
  return std::max<std::int64_t>(array_bytes / static_cast<std::int64_t>(sizeof(double)), ranks);
}

struct Arrays {
  machine::Array<double> a, b, c;
};

double b_value(std::int64_t i) {
  return 1.0 + static_cast<double>(i % 64);
}
double c_value(std::int64_t i) {
  return 0.5 * static_cast<double>(i % 32);
}

Arrays allocate_arrays(std::int64_t elements) {
  Arrays arrays{machine::allocate<double>(elements), machine::allocate<double>(elements),
                machine::allocate<double>(elements)};
  for (std::int64_t i = 0; i < elements; ++i) {
    arrays.a[i] = 0.0;
    arrays.b[i] = b_value(i);
    arrays.c[i] = c_value(i);
  }
  return arrays;
}

/// The passes over the arrays. Each leaves its result in a, or returns it.
double triad(Arrays& arrays, std::int64_t elements) {
  double* a = arrays.a.get();
  const double* b = arrays.b.get();
  const double* c = arrays.c.get();
#pragma GCC ivdep
  for (std::int64_t i = 0; i < elements; ++i)
    a[i] = b[i] + scalar * c[i];
  return 0;
}

double copy(Arrays& arrays, std::int64_t elements) {
  double* a = arrays.a.get();
  const double* b = arrays.b.get();
#pragma GCC ivdep
  for (std::int64_t i = 0; i < elements; ++i)
    a[i] = b[i];
  return 0;
}

double sum(Arrays& arrays, std::int64_t elements) {
  // A single sum would wait for each addition, not for the memory.
  constexpr int sums = 32;
  std::array<double, sums> partial{};
  const double* b = arrays.b.get();
  std::int64_t i = 0;
  for (; i + sums <= elements; i += sums)
    for (int k = 0; k < sums; ++k)
      partial[static_cast<std::size_t>(k)] += b[i + k];
  double total = 0;
  for (; i < elements; ++i)
    total += b[i];
  for (const double each : partial)
    total += each;
  return total;
}

bool is_triad(const Arrays& arrays, std::int64_t elements, double) {
  for (std::int64_t i = 0; i < elements; ++i)
    if (arrays.a[i] != b_value(i) + scalar * c_value(i)) return false;
  return true;
}

bool is_copy(const Arrays& arrays, std::int64_t elements, double) {
  for (std::int64_t i = 0; i < elements; ++i)
    if (arrays.a[i] != b_value(i)) return false;
  return true;
}

/// b holds small integers, so their sum is exact in any order.
bool is_sum(const Arrays&, std::int64_t elements, double result) {
  double expected = 0;
  for (std::int64_t i = 0; i < elements; ++i)
    expected += b_value(i);
  return result == expected;
}

struct Pass {
  const char* name;
  std::int64_t bytes_per_element;
  double (*work)(Arrays& arrays, std::int64_t elements);
  bool (*is_right)(const Arrays& arrays, std::int64_t elements, double result);
};

constexpr std::array passes = {Pass{"triad", 24, triad, is_triad}, Pass{"copy", 16, copy, is_copy},
                               Pass{"read", 8, sum, is_sum}};

struct Bandwidths {
  std::vector<double> bytes_per_s;  ///< all ranks' together, one for each repetition
  bool valid = false;
};

/// Collective in the team: one pass of warm-up, then as many as fit into the time. The slowest rank counts.
Bandwidths measure(const Pass& pass, Arrays& arrays, std::int64_t elements, double seconds, MPI_Comm team) {
  int ranks = 1;
  MPI_Comm_size(team, &ranks);
  const double bytes = static_cast<double>(elements * ranks * pass.bytes_per_element);
  double result = 0;
  const auto time_once = [&] {
    MPI_Barrier(team);
    const std::int64_t start_ns = kernels::clock_ns();
    result = pass.work(arrays, elements);
    double once_s = static_cast<double>(kernels::clock_ns() - start_ns) * 1e-9;
    MPI_Allreduce(MPI_IN_PLACE, &once_s, 1, MPI_DOUBLE, MPI_MAX, team);
    return once_s;
  };
  const int repetitions = static_cast<int>(std::clamp(seconds / time_once(), fewest_repetitions, 100.0));
  Bandwidths measured;
  for (int i = 0; i < repetitions; ++i)
    measured.bytes_per_s.push_back(bytes / time_once());
  measured.valid = pass.is_right(arrays, elements, result);
  return measured;
}

int run(const kernels::MpiSession& mpi, int argc, char** argv) {
  const Options options = parse(mpi, argc, argv);
  const kernels::NodeLayout layout = find_node_layout(mpi, 1, std::nullopt);
  together(mpi, [&] {
    if (layout.ranks_per_node < mpi.ranks())
      throw InputError("stream_mpi", "ranks on several nodes (it measures one node's memory)",
                       "Start it on one");
  });
  std::int64_t elements = together(mpi, [&] { return choose_elements(options, mpi.ranks()); });
  MPI_Bcast(&elements, 1, MPI_INT64_T, 0, mpi.comm());
  Arrays arrays = together(mpi, [&] { return allocate_arrays(elements / (mpi.rank() + 1)); });

  nlohmann::ordered_json teams = nlohmann::ordered_json::array();
  const std::vector<int> sizes = team_sizes(mpi.ranks());
  bool valid = true;
  const double seconds = options.seconds / static_cast<double>(sizes.size() * options.passes.size());
  for (const int size : sizes) {
    MPI_Comm team = team_of(mpi, size);
    if (team != MPI_COMM_NULL) {
      nlohmann::ordered_json measured = {{"ranks", size}};
      for (const Pass& pass : passes) {
        if (std::ranges::find(options.passes, pass.name) == options.passes.end()) continue;
        const Bandwidths bandwidths = measure(pass, arrays, elements / size, seconds, team);
        valid = valid && bandwidths.valid;
        measured[std::string(pass.name) + "_bytes_per_s"] = spread_json(bandwidths.bytes_per_s);
      }
      teams.push_back(measured);
      MPI_Comm_free(&team);
    }
    meet_asleep(mpi);
  }
  together(mpi, [&] {
    if (!valid) throw InputError("stream_mpi", "a result is wrong (memory, or a bug)", "Run it again");
  });
  const std::vector<std::string> hosts = hosts_of_ranks(mpi);
  if (mpi.is_first()) {
    const nlohmann::ordered_json result = {
        {"program", "stream_mpi"},
        {"counted", "bytes an element: triad 24, copy 16, read 8"},
        {"cpu", machine::cpu_model()},
        {"cores", layout.cores},
        {"oversubscribed", layout.oversubscribed},
        {"pinning", layout.pinning},
        {"hosts", hosts},
        {"array_bytes", elements * static_cast<std::int64_t>(sizeof(double))},
        {"by_ranks", teams}};
    print(result);
  }
  return 0;
}

}  // namespace
}  // namespace finegrain::micro

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, finegrain::micro::run);
}
