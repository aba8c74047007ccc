// SPDX-License-Identifier: MIT
//
// Ping-pong between two ranks of one node and, where there are several nodes, between ranks of two: half the
// round trip by message size. Ranks that are in no pair wait. Parse, allocate, time after a warm-up,
// validate.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kernels/micro/eager_limit.hpp"
#include "kernels/micro/message_sizes.hpp"
#include "kernels/micro/rank_pairs.hpp"
#include "kernels/micro/statistics.hpp"
#include "kernels/mpi/mpi_session.hpp"
#include "kernels/run/clock.hpp"
#include "kernels/run/node_layout.hpp"
#include "kernels/run/run_options.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::micro {
namespace {

constexpr int most_rounds = 2000;
constexpr int fewest_rounds = 10;

struct Options {
  double seconds = 0.05;
  std::vector<std::string> messages = {"8B",    "64B",   "256B",  "1KiB",   "4KiB",   "8KiB",
                                       "16KiB", "32KiB", "64KiB", "128KiB", "512KiB", "1MiB"};
};

Options parse(const kernels::MpiSession& mpi, int argc, char** argv) {
  Options options;
  parse_options(
      mpi,
      "MPI ping-pong within a node, and between two where there are: half the round trip by message "
      "size;\n"
      "JSON on stdout. The smallest message's time is the latency, the largest's bytes over its time the\n"
      "bandwidth. eager_limit_bytes: the longest message that is sent off before its receive is posted.\n"
      "longest_eager_send: until an MPI_Send of one returns, and until the receiver's answer is back;\n"
      "longer_sends: the same of the longer messages.\n"
      "Examples: mpirun -n 2 pingpong_mpi;  mpirun --map-by ppr:1:node -n 2 pingpong_mpi",
      {{"--seconds", &options.seconds, "time to spend on each message size", 0.001, 3600.0},
       {"--messages", &options.messages, "sizes of the messages"}},
      argc, argv);
  return options;
}

/// Fills the message of one round. Its bytes differ from round to round, so that no message can be mistaken
/// for another.
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
Rounds play(const kernels::MpiSession& mpi, int peer, bool starts, int size_bytes, int rounds) {
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
    const std::int64_t start_ns = kernels::clock_ns();
    MPI_Send(message.data(), size_bytes, MPI_BYTE, peer, tag, mpi.comm());
    MPI_Recv(answer.data(), size_bytes, MPI_BYTE, peer, tag, mpi.comm(), MPI_STATUS_IGNORE);
    result.half_round_trips_s.push_back(0.5e-9 * static_cast<double>(kernels::clock_ns() - start_ns));
    result.valid = result.valid && is_filled(answer, round);
  }
  return result;
}

/// How many rounds fit into the time if each takes as long as those before; the same number on both sides.
int rounds_within(const kernels::MpiSession& mpi, int peer, bool starts, const Rounds& before, double seconds,
                  int fewest, int most) {
  constexpr int tag = 4;
  int rounds = 0;
  if (!starts) {
    MPI_Recv(&rounds, 1, MPI_INT, peer, tag, mpi.comm(), MPI_STATUS_IGNORE);
    return rounds;
  }
  const double round_s = std::max(2.0 * median_of(before.half_round_trips_s), 1e-9);
  rounds = std::clamp(static_cast<int>(std::min(seconds / round_s, 1e6)), fewest, most);
  MPI_Send(&rounds, 1, MPI_INT, peer, tag, mpi.comm());
  return rounds;
}

/// Measures one size: a warm-up (a few rounds if they are long), then as many rounds as fit into the time.
Rounds measure(const kernels::MpiSession& mpi, int peer, bool starts, int size_bytes, double seconds) {
  const Rounds first = play(mpi, peer, starts, size_bytes, 2);
  const Rounds warm_up =
      play(mpi, peer, starts, size_bytes, rounds_within(mpi, peer, starts, first, seconds, 1, 20));
  Rounds result = play(mpi, peer, starts, size_bytes,
                       rounds_within(mpi, peer, starts, warm_up, seconds, fewest_rounds, most_rounds));
  result.valid = result.valid && warm_up.valid && first.valid;
  return result;
}

int run(const kernels::MpiSession& mpi, int argc, char** argv) {
  const Options options = parse(mpi, argc, argv);
  const std::vector<int> sizes_bytes = together(mpi, [&] { return parse_message_sizes(options.messages); });
  const kernels::NodeLayout layout = find_node_layout(mpi, 1, std::nullopt);
  const std::vector<RankPair> pairs = together(mpi, [&] { return choose_pairs(mpi, layout); });

  nlohmann::ordered_json measured = nlohmann::ordered_json::array();
  bool valid = true;
  for (const RankPair& pair : pairs) {
    nlohmann::ordered_json by_size = nlohmann::ordered_json::array();
    for (const int size_bytes : sizes_bytes) {
      if (!pair.has(mpi)) break;
      const Rounds rounds = measure(mpi, pair.other(mpi), mpi.is_first(), size_bytes, options.seconds);
      valid = valid && rounds.valid;
      if (!mpi.is_first()) continue;
      const double median_s = median_of(rounds.half_round_trips_s);
      by_size.push_back({{"bytes", size_bytes},
                         {"half_round_trip_s", spread_json(rounds.half_round_trips_s)},
                         {"bandwidth_bytes_per_s", size_bytes / median_s}});
    }
    measured.push_back({{"where", pair.where}, {"ranks", {0, pair.peer}}, {"by_size", by_size}});
    if (pair.has(mpi)) {
      const std::optional<std::int64_t> eager_bytes = eager_limit_bytes(mpi, pair);
      if (eager_bytes) measured.back()["eager_limit_bytes"] = *eager_bytes;
      if (eager_bytes && *eager_bytes > 0) {
        const auto time = [&](std::int64_t size_bytes) {
          const TimedSends timed = time_sends(mpi, pair, size_bytes);
          if (!mpi.is_first()) return nlohmann::ordered_json();
          return nlohmann::ordered_json{{"bytes", size_bytes},
                                        {"returned_s", spread_json(timed.returned_s)},
                                        {"answered_s", spread_json(timed.answered_s)}};
        };
        measured.back()["longest_eager_send"] = time(*eager_bytes);
        for (const int size_bytes : sizes_bytes)
          if (size_bytes > *eager_bytes) measured.back()["longer_sends"].push_back(time(size_bytes));
      }
    }
    MPI_Barrier(mpi.comm());
  }
  together(mpi, [&] {
    if (!valid)
      throw InputError("pingpong_mpi", "a message came back changed (network, or a bug)", "Run it again");
  });
  const std::vector<std::string> hosts = hosts_of_ranks(mpi);
  if (mpi.is_first()) {
    const nlohmann::ordered_json result = {
        {"program", "pingpong_mpi"}, {"cores", layout.cores}, {"oversubscribed", layout.oversubscribed},
        {"pinning", layout.pinning}, {"hosts", hosts},        {"pairs", measured}};
    print(result);
  }
  return 0;
}

}  // namespace
}  // namespace finegrain::micro

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, finegrain::micro::run);
}
