// SPDX-License-Identifier: MIT
//
// Ping-pong between two ranks of one node and, where there are several nodes, between ranks of two: half the
// round trip by message size. Ranks that are in no pair wait. Parse, allocate, time after a warm-up,
// validate.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "kernels/micro/rank_pairs.hpp"
#include "kernels/micro/statistics.hpp"
#include "kernels/mpi/mpi_session.hpp"
#include "kernels/run/clock.hpp"
#include "kernels/run/node_layout.hpp"
#include "kernels/run/run_options.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

constexpr std::array<int, 12> sizes_bytes = {8,     64,    256,   1024,   4096,   8192,
                                             16384, 32768, 65536, 131072, 524288, 1048576};
constexpr int warm_up_rounds = 20;
constexpr int most_rounds = 2000;
constexpr int fewest_rounds = 20;

struct Options {
  double seconds = 0.05;
};

Options parse(const MpiSession& mpi, int argc, char** argv) {
  Options options;
  CLI::App app{
      "MPI ping-pong within a node, and between two where there are: half the round trip by message size, 8 "
      "B "
      "to\n1 MiB; JSON on stdout. The smallest message's time is the latency, the largest's bytes over its "
      "time "
      "the\nbandwidth.\nExamples: mpirun -n 2 pingpong_mpi;  mpirun --map-by ppr:1:node -n 2 pingpong_mpi"};
  app.add_option("--seconds", options.seconds, "time to spend on each message size")
      ->check(CLI::Range(0.001, 3600.0))
      ->capture_default_str();
  parse_command_line(mpi, app, argc, argv);
  return options;
}

/// The bytes that go to and fro in one round; every round's differ, so that none can be mistaken for another.
void fill(std::vector<unsigned char>& message, int round) {
  for (std::size_t i = 0; i < message.size(); i += 64)
    message[i] = static_cast<unsigned char>(round + static_cast<int>(i / 64));
  message.back() = static_cast<unsigned char>(round + 1);
}

bool is_filled(const std::vector<unsigned char>& message, int round) {
  for (std::size_t i = 0; i < message.size(); i += 64)
    if (message[i] != static_cast<unsigned char>(round + static_cast<int>(i / 64))) return false;
  return message.back() == static_cast<unsigned char>(round + 1);
}

struct Rounds {
  std::vector<double> half_round_trips_s;
  bool valid = true;
};

/// One side of a ping-pong. The side that starts fills and checks the message outside of what is timed, and
/// the other one sends back what it got.
Rounds play(const MpiSession& mpi, int peer, bool starts, int size_bytes, int rounds) {
  constexpr int tag = 3;
  Rounds result;
  std::vector<unsigned char> message(static_cast<std::size_t>(size_bytes));
  std::vector<unsigned char> answer(message.size());
  for (int round = 0; round < rounds; ++round) {
    if (!starts) {
      MPI_Recv(answer.data(), size_bytes, MPI_BYTE, peer, tag, mpi.comm(), MPI_STATUS_IGNORE);
      MPI_Send(answer.data(), size_bytes, MPI_BYTE, peer, tag, mpi.comm());
      continue;
    }
    fill(message, round);
    const std::int64_t start_ns = clock_ns();
    MPI_Send(message.data(), size_bytes, MPI_BYTE, peer, tag, mpi.comm());
    MPI_Recv(answer.data(), size_bytes, MPI_BYTE, peer, tag, mpi.comm(), MPI_STATUS_IGNORE);
    result.half_round_trips_s.push_back(0.5e-9 * static_cast<double>(clock_ns() - start_ns));
    result.valid = result.valid && is_filled(answer, round);
  }
  return result;
}

/// One size: warm-up, then as many rounds as fit into the time, the same number on both sides.
Rounds measure(const MpiSession& mpi, int peer, bool starts, int size_bytes, double seconds) {
  constexpr int tag = 4;
  const Rounds warm_up = play(mpi, peer, starts, size_bytes, warm_up_rounds);
  int rounds = 0;
  if (starts) {
    const double round_s = std::max(2.0 * median_of(warm_up.half_round_trips_s), 1e-9);
    rounds = std::clamp(static_cast<int>(std::min(seconds / round_s, 1e6)), fewest_rounds, most_rounds);
    MPI_Send(&rounds, 1, MPI_INT, peer, tag, mpi.comm());
  } else {
    MPI_Recv(&rounds, 1, MPI_INT, peer, tag, mpi.comm(), MPI_STATUS_IGNORE);
  }
  Rounds result = play(mpi, peer, starts, size_bytes, rounds);
  result.valid = result.valid && warm_up.valid;
  return result;
}

int run(const MpiSession& mpi, int argc, char** argv) {
  const Options options = parse(mpi, argc, argv);
  const NodeLayout layout = find_node_layout(mpi, 1, std::nullopt);
  const std::vector<RankPair> pairs = together(mpi, [&] { return choose_pairs(mpi, layout); });

  nlohmann::ordered_json measured = nlohmann::ordered_json::array();
  bool valid = true;
  for (const RankPair& pair : pairs) {
    nlohmann::ordered_json by_size = nlohmann::ordered_json::array();
    for (std::size_t i = 0; pair.has(mpi) && i < sizes_bytes.size(); ++i) {
      const Rounds rounds = measure(mpi, pair.other(mpi), mpi.is_first(), sizes_bytes[i], options.seconds);
      valid = valid && rounds.valid;
      if (!mpi.is_first()) continue;
      const double median_s = median_of(rounds.half_round_trips_s);
      by_size.push_back({{"bytes", sizes_bytes[i]},
                         {"half_round_trip_s", spread_json(rounds.half_round_trips_s)},
                         {"bandwidth_bytes_per_s", sizes_bytes[i] / median_s}});
    }
    measured.push_back({{"where", pair.where}, {"ranks", {0, pair.peer}}, {"by_size", by_size}});
    MPI_Barrier(mpi.comm());
  }
  together(mpi, [&] {
    if (!valid)
      throw InputError("pingpong_mpi: a message came back changed (network, or a bug). Run it again");
  });
  if (mpi.is_first()) {
    const nlohmann::ordered_json result = {{"program", "pingpong_mpi"},
                                           {"cores", layout.cores},
                                           {"oversubscribed", layout.oversubscribed},
                                           {"pinning", layout.pinning},
                                           {"pairs", measured}};
    fmt::print("{}\n", result.dump(2));
  }
  return 0;
}

}  // namespace
}  // namespace finegrain

int main(int argc, char** argv) {
  return finegrain::run_mpi_program(argc, argv, finegrain::run);
}
