// SPDX-License-Identifier: MIT
//
// How a transport treats long messages, between ranks that should have a node each. Two questions, a third if
// there are three ranks, and a fourth if there are four:
//   Does a reply wait behind data?  While rank 1 sends long data to rank 0, rank 0 asks rank 1 something of
//     8 bytes. If answers follow data on one connection (TCP), the answer comes when the data have passed.
//   How much of a long message leaves before its receive is posted?  A message whose receive is posted from
//     the beginning takes a time t. If the receive is posted long after the send, the message still takes t',
//     and the share 1 - t' / t of its bytes had come before.
//   How far is one connection ahead of another that begins at the same time?  Rank 0 sends data to ranks 1
//     and 2 at once. If their node's link took a packet of each in turn, both would have all data at nearly
//     the same time. But a connection puts several packets in the link's queue at a time, and those that
//     begin second wait for them.
//   Do links serve what comes first, or all in shares?  While ranks 1 and 2 send long data to rank 0, rank 3
//     asks rank 0 something. If what comes first leaves first, the answer is late, because the links of two
//     ranks bring more to rank 0's link than it carries.
// Parse, allocate, time after a warm-up, validate: all data arrive unchanged.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

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

constexpr int data_tag = 7;
constexpr int small_tag = 8;
constexpr int never_sent_tag = 9;

struct Options {
  int rounds = 9;
  int bytes = 1 << 18;
};

Options parse(const kernels::MpiSession& mpi, int argc, char** argv) {
  Options options;
  parse_options(
      mpi,
      "Whether an answer waits behind data that goes the same way, how much of a long message leaves before\n"
      "its receiver is there, and how several messages share a link; JSON on stdout.\n"
      "Example: mpirun --map-by ppr:1:node -n 4 replies_mpi",
      {{"--rounds", &options.rounds, "repetitions, of which the median counts", 1, 1'000'000},
       {"--bytes", &options.bytes, "of a long message: some times the eager limit", 16, 1 << 30}},
      argc, argv);
  return options;
}

double seconds_since(std::int64_t start_ns) {
  return 1e-9 * static_cast<double>(kernels::clock_ns() - start_ns);
}

/// Waits, and lets the MPI library make progress meanwhile.
void pass(double seconds) {
  for (const std::int64_t start_ns = kernels::clock_ns(); seconds_since(start_ns) < seconds;) {
    int is_there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, never_sent_tag, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
  }
}

class Pair {
 public:
  Pair(bool is_first, int peer, int bytes)
      : is_first_(is_first), peer_(peer), data_(static_cast<std::size_t>(bytes), is_first ? '\0' : 'd') {}

  /// Rank 1 sends as soon as rank 0 says so. @returns on rank 0, seconds from there until all is received
  double expected() {
    MPI_Request request = begin(true);
    const std::int64_t start_ns = start();
    if (!is_first_) request = begin(false);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return seconds_since(start_ns);
  }
  /// @param late_s  after this time rank 0 posts its receive. @returns on rank 0, seconds from then until all
  /// is received
  double late(double late_s) {
    MPI_Request request = MPI_REQUEST_NULL;
    start();
    if (is_first_) pass(late_s);
    const std::int64_t start_ns = kernels::clock_ns();
    request = begin(is_first_);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return seconds_since(start_ns);
  }
  struct Answer {
    double answer_s;
    double rest_s;  ///< from the question on until all data are there
  };
  /// Rank 0 asks while rank 1 sends long data, or while it sends nothing if there are no `data`.
  /// @param asked_s  the time from the start of the data to the question
  Answer answer(double asked_s, bool data) {
    MPI_Request request = data ? begin(true) : MPI_REQUEST_NULL;
    start();
    if (data && !is_first_) request = begin(false);
    if (is_first_) pass(asked_s);
    const std::int64_t asked_ns = kernels::clock_ns();
    char small[8] = {};
    if (is_first_) MPI_Send(small, 8, MPI_BYTE, peer_, small_tag, MPI_COMM_WORLD);
    MPI_Recv(small, 8, MPI_BYTE, peer_, small_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!is_first_) MPI_Send(small, 8, MPI_BYTE, peer_, small_tag, MPI_COMM_WORLD);
    const double answer_s = seconds_since(asked_ns);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return {answer_s, seconds_since(asked_ns)};
  }
  bool is_unchanged() const {
    return std::all_of(data_.begin(), data_.end(), [](char c) { return c == 'd'; });
  }

 private:
  MPI_Request begin(bool receives) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int bytes = static_cast<int>(data_.size());
    if (is_first_ && receives)
      MPI_Irecv(data_.data(), bytes, MPI_BYTE, peer_, data_tag, MPI_COMM_WORLD, &request);
    if (!is_first_ && !receives)
      MPI_Isend(data_.data(), bytes, MPI_BYTE, peer_, data_tag, MPI_COMM_WORLD, &request);
    return request;
  }
  /// Rank 0 tells the other rank that it is ready. @returns on rank 0, when it did
  std::int64_t start() const {
    const std::int64_t start_ns = kernels::clock_ns();
    if (is_first_)
      MPI_Send(nullptr, 0, MPI_BYTE, peer_, small_tag, MPI_COMM_WORLD);
    else
      MPI_Recv(nullptr, 0, MPI_BYTE, peer_, small_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return start_ns;
  }

  bool is_first_;
  int peer_;
  std::vector<char> data_;
};

/// Ranks 1 and 2 send long data to rank 0, which first tells all ranks how long that takes. Rank 3 asks rank
/// 0 some time later.
/// @param data_s  seconds that the data of one rank take, known to rank 0
/// @returns on rank 0, seconds until rank 3 had its answer
double answer_beside_others(const kernels::MpiSession& mpi, std::vector<char>& data, double data_s) {
  const int bytes = static_cast<int>(data.size()) / 2;
  const bool sends = mpi.rank() == 1 || mpi.rank() == 2;
  const bool asks = mpi.rank() == 3;
  std::array<MPI_Request, 2> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (mpi.is_first()) {
    for (int i = 0; i < 2; ++i)
      MPI_Irecv(data.data() + std::ptrdiff_t{i} * bytes, bytes, MPI_BYTE, 1 + i, data_tag, MPI_COMM_WORLD,
                &requests[static_cast<std::size_t>(i)]);
  }
  MPI_Bcast(&data_s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (sends) MPI_Isend(data.data(), bytes, MPI_BYTE, 0, data_tag, MPI_COMM_WORLD, requests.data());
  char small[8] = {};
  double answer_s = 0;
  if (mpi.is_first()) {
    MPI_Recv(small, 8, MPI_BYTE, 3, small_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(small, 8, MPI_BYTE, 3, small_tag, MPI_COMM_WORLD);
  } else if (asks) {
    pass(1.25 * data_s);
    const std::int64_t asked_ns = kernels::clock_ns();
    MPI_Send(small, 8, MPI_BYTE, 0, small_tag, MPI_COMM_WORLD);
    MPI_Recv(small, 8, MPI_BYTE, 0, small_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    answer_s = seconds_since(asked_ns);
  }
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  if (asks) MPI_Send(&answer_s, 1, MPI_DOUBLE, 0, small_tag, MPI_COMM_WORLD);
  if (mpi.is_first()) MPI_Recv(&answer_s, 1, MPI_DOUBLE, 3, small_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return answer_s;
}

/// Rank 0 sends the first bytes of its data to ranks 1 and 2 at once. Each answers when it has all.
/// @param bytes  so few that they need no permission
/// @returns on rank 0, seconds between the two answers
double answers_apart(const kernels::MpiSession& mpi, std::vector<char>& data, int bytes) {
  const bool receives = mpi.rank() == 1 || mpi.rank() == 2;
  std::array<MPI_Request, 2> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::array<MPI_Request, 2> answers = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (receives) MPI_Irecv(data.data(), bytes, MPI_BYTE, 0, data_tag, MPI_COMM_WORLD, requests.data());
  for (std::size_t i = 0; mpi.is_first() && i < 2; ++i)
    MPI_Irecv(nullptr, 0, MPI_BYTE, 1 + static_cast<int>(i), small_tag, MPI_COMM_WORLD, &answers[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  for (std::size_t i = 0; mpi.is_first() && i < 2; ++i)
    MPI_Isend(data.data(), bytes, MPI_BYTE, 1 + static_cast<int>(i), data_tag, MPI_COMM_WORLD, &requests[i]);
  std::array<std::int64_t, 2> answered_ns = {};
  for (std::int64_t& answer_ns : answered_ns) {
    int which = 0;
    MPI_Waitany(2, answers.data(), &which, MPI_STATUS_IGNORE);
    answer_ns = kernels::clock_ns();
  }
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  if (receives) MPI_Send(nullptr, 0, MPI_BYTE, 0, small_tag, MPI_COMM_WORLD);
  return 1e-9 * static_cast<double>(answered_ns[1] - answered_ns[0]);
}

int run(const kernels::MpiSession& mpi, int argc, char** argv) {
  const Options options = parse(mpi, argc, argv);
  const kernels::NodeLayout layout = find_node_layout(mpi, 1, std::nullopt);
  const RankPair pair = together(mpi, [&] { return choose_pairs(mpi, layout).back(); });
  std::vector<double> expected_s, late_s, alone_s, beside_s, rest_s, apart_s, beside_others_s;
  bool valid = true;
  double data_s = 0;  // measured on rank 0, the only rank of the pair that waits by it
  if (pair.has(mpi)) {
    Pair ranks(mpi.is_first(), pair.other(mpi), options.bytes);
    for (int round = -1; round < options.rounds; ++round) {  // the first one sets up connections
      data_s = ranks.expected();
      const double late = ranks.late(3 * data_s);
      const Pair::Answer alone = ranks.answer(0, false);
      const Pair::Answer beside = ranks.answer(data_s / 4, true);
      if (round < 0) continue;
      expected_s.push_back(data_s);
      late_s.push_back(late);
      alone_s.push_back(alone.answer_s);
      beside_s.push_back(beside.answer_s);
      rest_s.push_back(beside.rest_s);
    }
    valid = ranks.is_unchanged();
  }
  if (mpi.ranks() >= 3) {
    std::vector<char> data(static_cast<std::size_t>(options.bytes), mpi.is_first() ? 'd' : '\0');
    // A connection may put several packets in the queue at a time: how many are the last depends on the
    // length.
    const int most_bytes = std::max(options.bytes / 8, 2);
    const int rounds = 4 * options.rounds;
    for (int round = -1; round < rounds; ++round) {
      const int bytes = most_bytes - std::max(round, 0) * (most_bytes / 2) / rounds;
      const double seconds = answers_apart(mpi, data, bytes);
      if (round >= 0) apart_s.push_back(seconds);
    }
    const bool has_all = mpi.rank() <= 2;
    const auto sent = std::span(data).first(static_cast<std::size_t>(most_bytes));
    valid = valid && (!has_all || std::ranges::all_of(sent, [](char c) { return c == 'd'; }));
  }
  if (mpi.ranks() >= 4) {
    std::vector<char> data(2 * static_cast<std::size_t>(options.bytes), mpi.is_first() ? '\0' : 'd');
    for (int round = -1; round < options.rounds; ++round) {
      const double answer_s = answer_beside_others(mpi, data, data_s);
      if (round >= 0) beside_others_s.push_back(answer_s);
    }
    valid = valid && std::ranges::all_of(data, [](char c) { return c == 'd'; });
  }
  together(mpi, [&] {
    if (!valid) throw InputError("replies_mpi", "data came back changed (network, or a bug)", "Run it again");
  });
  const std::vector<std::string> hosts = hosts_of_ranks(mpi);
  if (mpi.is_first()) {
    nlohmann::ordered_json result = {{"program", "replies_mpi"},
                                     {"cores", layout.cores},
                                     {"oversubscribed", layout.oversubscribed},
                                     {"pinning", layout.pinning},
                                     {"hosts", hosts},
                                     {"where", pair.where},
                                     {"bytes", options.bytes},
                                     {"expected_s", spread_json(expected_s)},
                                     {"late_s", spread_json(late_s)},
                                     {"answer_s", spread_json(alone_s)},
                                     {"answer_beside_data_s", spread_json(beside_s)},
                                     {"rest_of_data_s", spread_json(rest_s)}};
    if (!apart_s.empty()) result["answers_apart_s"] = spread_json(apart_s);
    if (!beside_others_s.empty()) result["answer_beside_others_s"] = spread_json(beside_others_s);
    print(result);
  }
  return 0;
}

}  // namespace
}  // namespace finegrain::micro

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, finegrain::micro::run);
}
