// SPDX-License-Identifier: MIT
//
// The parameters of LogGP for MPI messages: o, the processor's time to send (o_s) and to receive (o_r) one;
// L, the network's latency; g, the gap between messages; G, the gap per byte of long ones. By the model a
// message of k bytes takes o_s + (k - 1) G + L + o_r.
//   o_s  how long MPI_Send of 1 byte takes.
//   o_r  how long MPI_Recv takes for an answer of 1 byte that has been waiting: the receiver computes for
//        twice the round trip before it calls. Both as in Kielmann, Bal & Verstoep 2000.
//   g, G a burst of n messages of k bytes, all answered once, takes (n - 1) (g + (k - 1) G) longer than one
//        message and its answer; a line through the sizes gives both. As in Netgauge: Hoefler, Lichei &
//        Rehm 2007.
//   L    half a round trip of 1 byte, less o_s and o_r.
// Source of the model: Alexandrov, Ionescu, Schauser & Scheiman, LogGP, 1995. Parse, allocate, time after a
// warm-up, validate.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "kernels/micro/line_fit.hpp"
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

constexpr std::array<int, 6> sizes_bytes = {1, 256, 1024, 4096, 16384, 65536};
constexpr int warm_up_rounds = 10;
constexpr int burst_messages = 16;
constexpr int message_tag = 5;
constexpr int answer_tag = 6;

struct Options {
  int rounds = 200;
};

Options parse(const kernels::MpiSession& mpi, int argc, char** argv) {
  Options options;
  parse_options(
      mpi,
      "LogGP's parameters of MPI messages, within a node and between two where there are: o (send and "
      "receive\n"
      "overhead), L (latency), g (gap between messages), G (gap a byte); JSON on stdout. A code that sends "
      "many\n"
      "small messages waits for o and g, one that sends few large ones for G.\n"
      "Examples: mpirun -n 2 loggp_mpi;  mpirun --map-by ppr:1:node -n 2 loggp_mpi",
      {{"--rounds", &options.rounds, "repetitions, of which the median counts", 1, 1'000'000}}, argc, argv);
  return options;
}

/// One side of an exchange. Rank 0 asks, the other answers; both know how often.
class Side {
 public:
  Side(const kernels::MpiSession& mpi, const RankPair& pair)
      : comm_(mpi.comm()), other_(pair.other(mpi)), asks_(mpi.is_first()) {}

  bool asks() const { return asks_; }
  bool valid() const { return valid_; }

  /// Seconds from the first of `messages` messages to the answer to all of them; meaningless on the side that
  /// answers.
  double burst_s(int size_bytes, int messages) {
    message_.resize(static_cast<std::size_t>(size_bytes));
    const std::int64_t start_ns = kernels::clock_ns();
    for (int i = 0; i < messages; ++i)
      asks_ ? send(i) : receive(i);
    asks_ ? receive_answer() : send_answer();
    return static_cast<double>(kernels::clock_ns() - start_ns) * 1e-9;
  }

  struct Overheads {
    double send_s;
    double receive_s;
  };

  /// One message of 1 byte and its answer, which the asking side begins to receive no sooner than
  /// `patience_s` later.
  Overheads overheads(double patience_s) {
    message_.resize(1);
    if (!asks_) {
      receive(0);
      send_answer();
      return {};
    }
    const std::int64_t start_ns = kernels::clock_ns();
    send(0);
    const std::int64_t sent_ns = kernels::clock_ns();
    std::int64_t now_ns = sent_ns;
    while (static_cast<double>(now_ns - sent_ns) * 1e-9 < patience_s)
      now_ns = kernels::clock_ns();
    receive_answer();
    const std::int64_t received_ns = kernels::clock_ns();
    return {static_cast<double>(sent_ns - start_ns) * 1e-9, static_cast<double>(received_ns - now_ns) * 1e-9};
  }

 private:
  /// Each message carries its number, in its first and in its last byte.
  void send(int number) {
    message_.front() = message_.back() = static_cast<unsigned char>(number);
    MPI_Send(message_.data(), static_cast<int>(message_.size()), MPI_BYTE, other_, message_tag, comm_);
  }
  void receive(int number) {
    MPI_Recv(message_.data(), static_cast<int>(message_.size()), MPI_BYTE, other_, message_tag, comm_,
             MPI_STATUS_IGNORE);
    const auto expected = static_cast<unsigned char>(number);
    valid_ = valid_ && message_.front() == expected && message_.back() == expected;
  }
  void send_answer() { MPI_Send(message_.data(), 1, MPI_BYTE, other_, answer_tag, comm_); }
  void receive_answer() {
    unsigned char answer = 0;
    MPI_Recv(&answer, 1, MPI_BYTE, other_, answer_tag, comm_, MPI_STATUS_IGNORE);
    // The last message's number.
    valid_ = valid_ && answer == message_.back();
  }

  MPI_Comm comm_;
  int other_;
  bool asks_;
  bool valid_ = true;
  std::vector<unsigned char> message_;
};

std::vector<double> burst_seconds(Side& side, int size_bytes, int messages, int rounds) {
  std::vector<double> seconds;
  for (int round = 0; round < warm_up_rounds + rounds; ++round) {
    const double burst_s = side.burst_s(size_bytes, messages);
    if (round >= warm_up_rounds) seconds.push_back(burst_s);
  }
  return seconds;
}

/// Seconds that reading the clock twice takes; every timed interval includes them.
double clock_cost_s() {
  std::vector<double> costs;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t start_ns = kernels::clock_ns();
    costs.push_back(static_cast<double>(kernels::clock_ns() - start_ns) * 1e-9);
  }
  return median_of(costs);
}

/// @returns null on the side that answers
nlohmann::ordered_json measure(Side& side, int rounds) {
  std::vector<double> gaps_s;  ///< the median gap of each size
  std::vector<FitPoint> points;
  double round_trip_s = 0;
  for (const int size_bytes : sizes_bytes) {
    const double one_s = median_of(burst_seconds(side, size_bytes, 1, rounds));
    if (size_bytes == 1) round_trip_s = one_s;
    const double burst_s = median_of(burst_seconds(side, size_bytes, burst_messages, rounds));
    // If a burst takes no longer than one message, the clock cannot resolve the gap.
    gaps_s.push_back(std::max((burst_s - one_s) / (burst_messages - 1), 1e-10));
    points.push_back({static_cast<double>(size_bytes - 1), gaps_s.back()});
  }
  const double clock_s = clock_cost_s();
  std::vector<double> send_s;
  std::vector<double> receive_s;
  for (int round = 0; round < rounds; ++round) {
    const Side::Overheads overheads = side.overheads(2 * round_trip_s);
    send_s.push_back(std::max(overheads.send_s - clock_s, 0.0));
    receive_s.push_back(std::max(overheads.receive_s - clock_s, 0.0));
  }
  if (!side.asks()) return nullptr;

  const LineFit line = fit_line(points);
  const double overheads_s = median_of(send_s) + median_of(receive_s);
  nlohmann::ordered_json by_size = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < sizes_bytes.size(); ++i)
    by_size.push_back({{"bytes", sizes_bytes[i]}, {"gap_s", gaps_s[i]}});
  return {{"o_s_s", spread_json(send_s)},
          {"o_r_s", spread_json(receive_s)},
          // Within a node the two overheads overlap, and nothing may be left for L.
          {"L_s", std::max(0.5 * round_trip_s - overheads_s, 0.0)},
          {"g_s", line.intercept},
          {"G_s_per_byte", line.slope},
          {"worst_deviation_of_g_and_G", line.worst_deviation},
          {"gap_by_size", by_size}};
}

int run(const kernels::MpiSession& mpi, int argc, char** argv) {
  const Options options = parse(mpi, argc, argv);
  const kernels::NodeLayout layout = find_node_layout(mpi, 1, std::nullopt);
  const std::vector<RankPair> pairs = together(mpi, [&] { return choose_pairs(mpi, layout); });

  nlohmann::ordered_json measured = nlohmann::ordered_json::array();
  bool valid = true;
  for (const RankPair& pair : pairs) {
    if (pair.has(mpi)) {
      Side side(mpi, pair);
      const nlohmann::ordered_json parameters = measure(side, options.rounds);
      valid = valid && side.valid();
      measured.push_back({{"where", pair.where}, {"ranks", {0, pair.peer}}, {"loggp", parameters}});
    }
    MPI_Barrier(mpi.comm());
  }
  together(mpi, [&] {
    if (!valid)
      throw InputError("loggp_mpi", "a message arrived changed (network, or a bug)", "Run it again");
  });
  const std::vector<std::string> hosts = hosts_of_ranks(mpi);
  if (mpi.is_first()) {
    const nlohmann::ordered_json result = {
        {"program", "loggp_mpi"},    {"cores", layout.cores}, {"oversubscribed", layout.oversubscribed},
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
