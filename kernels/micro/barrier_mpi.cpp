// SPDX-License-Identifier: MIT
//
// The time of a barrier of 1, 2, 3, 4, 6, 9, ... and all ranks. Ranks that do not take part sleep. Parse,
// allocate, time after a warm-up, validate: no rank may leave before the last rank of its node has come.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "kernels/micro/statistics.hpp"
#include "kernels/micro/teams.hpp"
#include "kernels/mpi/mpi_session.hpp"
#include "kernels/run/clock.hpp"
#include "kernels/run/node_layout.hpp"
#include "kernels/run/run_options.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::micro {
namespace {

/// This number of consecutive barriers is timed together, because a single one is too short for the clock.
constexpr int barriers_in_a_row = 20;
constexpr int checked_barriers = 20;
constexpr std::int64_t late_ns = 20'000;

struct Options {
  int repetitions = 100;
};

Options parse(const kernels::MpiSession& mpi, int argc, char** argv) {
  Options options;
  parse_options(
      mpi,
      "What MPI_Barrier costs by number of ranks; JSON on stdout. finegrain's replay charges a round of\n"
      "local_latency for every doubling of the ranks of a node; this is what to compare it with.\n"
      "Example: mpirun --bind-to core -n 16 barrier_mpi",
      {{"--repetitions", &options.repetitions, "of 20 barriers each; the median counts", 1, 1'000'000}}, argc,
      argv);
  return options;
}

/// Collective in the team: whether no rank leaves a barrier before the last one has come. The ranks come late
/// in turn; those of one node share a clock, so that their times can be compared.
bool holds_back(MPI_Comm team) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(team, &rank);
  MPI_Comm_size(team, &ranks);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(team, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  bool held = true;
  for (int i = 0; i < checked_barriers; ++i) {
    std::int64_t last_in_ns = kernels::clock_ns();
    for (const std::int64_t start_ns = last_in_ns; rank == i % ranks && last_in_ns < start_ns + late_ns;)
      last_in_ns = kernels::clock_ns();
    MPI_Barrier(team);
    const std::int64_t out_ns = kernels::clock_ns();
    MPI_Allreduce(MPI_IN_PLACE, &last_in_ns, 1, MPI_INT64_T, MPI_MAX, node);
    held = held && out_ns >= last_in_ns;
  }
  MPI_Comm_free(&node);
  return held;
}

/// Collective in the team: seconds of a barrier on the slowest rank, one value for each repetition.
std::vector<double> measure(MPI_Comm team, int repetitions) {
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) {
    MPI_Barrier(team);
    const std::int64_t start_ns = kernels::clock_ns();
    for (int k = 0; k < barriers_in_a_row; ++k)
      MPI_Barrier(team);
    double each_s = static_cast<double>(kernels::clock_ns() - start_ns) * 1e-9 / barriers_in_a_row;
    MPI_Allreduce(MPI_IN_PLACE, &each_s, 1, MPI_DOUBLE, MPI_MAX, team);
    seconds.push_back(each_s);
  }
  return seconds;
}

int run(const kernels::MpiSession& mpi, int argc, char** argv) {
  const Options options = parse(mpi, argc, argv);
  const kernels::NodeLayout layout = find_node_layout(mpi, 1, std::nullopt);
  nlohmann::ordered_json by_ranks = nlohmann::ordered_json::array();
  bool valid = true;
  for (const int size : team_sizes(mpi.ranks())) {
    MPI_Comm team = team_of(mpi, size);
    if (team != MPI_COMM_NULL) {
      valid = holds_back(team) && valid;  // the warm-up
      by_ranks.push_back({{"ranks", size}, {"barrier_s", spread_json(measure(team, options.repetitions))}});
      MPI_Comm_free(&team);
    }
    meet_asleep(mpi);
  }
  together(mpi, [&] {
    if (!valid)
      throw InputError("barrier_mpi", "a rank left a barrier before all had come (a bug of the MPI)");
  });
  const std::vector<std::string> hosts = hosts_of_ranks(mpi);
  if (mpi.is_first()) {
    const nlohmann::ordered_json result = {{"program", "barrier_mpi"},
                                           {"cores", layout.cores},
                                           {"ranks_per_node", layout.ranks_per_node},
                                           {"oversubscribed", layout.oversubscribed},
                                           {"pinning", layout.pinning},
                                           {"hosts", hosts},
                                           {"by_ranks", by_ranks}};
    print(result);
  }
  return 0;
}

}  // namespace
}  // namespace finegrain::micro

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, finegrain::micro::run);
}
