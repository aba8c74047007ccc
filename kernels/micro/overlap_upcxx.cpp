// SPDX-License-Identifier: MIT
//
// How much of a transfer goes on while a rank computes: every rank gets from (puts to) the next one, computes
// for as long as the transfer alone takes, without a call to UPC++, and then waits. If nothing moves
// during the computation, both together take as long as one after the other. Parse, allocate, time after a
// warm-up, validate.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <upcxx/upcxx.hpp>
#include <vector>

#include "kernels/micro/statistics.hpp"
#include "kernels/run/run_options.hpp"
#include "kernels/upcxx/shared_array.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace finegrain::micro {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::size_t size_bytes = std::size_t{8} << 20;
  int repetitions = 11;
};

Options parse(const kernels::Session& session, int argc, char** argv) {
  Options options;
  parse_options(session, "How much of a transfer goes on while ranks compute; JSON on stdout.",
                {{"--bytes", &options.size_bytes, "that each rank moves at once", 1, 1 << 30},
                 {"--repetitions", &options.repetitions, "the median of which counts", 1, 1000}},
                argc, argv);
  return options;
}

/// Which ranks compute while the bytes are under way; the others wait in a barrier.
enum class Computing { all, first };

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Keeps the core busy.
void compute_for(double seconds) {
  const auto start = Clock::now();
  while (seconds_since(start) < seconds) {
  }
}

/// What rank 0 measured, known to all ranks; the lists have one value for each repetition.
struct Overlap {
  std::vector<double> transfer_s;
  double compute_s = 0;
  std::vector<double> both_s;
  /// The share of the transfer that computation hid, for each pair of a run without and a run with
  /// computation.
  std::vector<double> hidden_share;
};

/// @param begin  starts the transfer and returns its future
template <class Begin>
Overlap measure(const Options& options, Computing computing, Begin begin) {
  const bool moves = computing == Computing::all || upcxx::rank_me() == 0;
  const auto seconds_with = [&](double compute_s) {
    upcxx::barrier();
    const auto start = Clock::now();
    if (moves) {
      const upcxx::future<> moved = begin();
      compute_for(compute_s);
      moved.wait();
    }
    const double seconds = seconds_since(start);
    upcxx::barrier();
    return upcxx::broadcast(seconds, 0).wait();
  };
  std::vector<double> warm_up_s;
  for (int i = 0; i < options.repetitions; ++i)
    warm_up_s.push_back(seconds_with(0));
  Overlap overlap;
  overlap.compute_s = median_of(warm_up_s);
  for (int i = 0; i < options.repetitions; ++i) {
    const double transfer_s = seconds_with(0);
    const double both_s = seconds_with(overlap.compute_s);
    overlap.transfer_s.push_back(transfer_s);
    overlap.both_s.push_back(both_s);
    overlap.hidden_share.push_back((transfer_s + overlap.compute_s - both_s) / transfer_s);
  }
  return overlap;
}

nlohmann::ordered_json as_json(const std::string& operation, Computing computing, const Overlap& overlap) {
  return {{"operation", operation},
          {"computing", computing == Computing::all ? "all ranks" : "rank 0"},
          {"transfer_s", spread_json(overlap.transfer_s)},
          {"compute_s", overlap.compute_s},
          {"both_s", spread_json(overlap.both_s)},
          {"hidden_share", spread_json(overlap.hidden_share)}};
}

int run(const kernels::UpcxxSession& upcxx, int argc, char** argv) {
  const Options options = parse(upcxx, argc, argv);
  const int me = upcxx.rank();
  const int next = (me + 1) % upcxx.ranks();
  const int previous = (me + upcxx.ranks() - 1) % upcxx.ranks();
  const kernels::SharedArray<char> offered(upcxx, static_cast<std::int64_t>(options.size_bytes));
  const kernels::SharedArray<char> landing(upcxx, static_cast<std::int64_t>(options.size_bytes));
  std::fill_n(offered.local(), options.size_bytes, static_cast<char>(me));
  std::fill_n(landing.local(), options.size_bytes, static_cast<char>(-1));
  upcxx.barrier();
  const upcxx::global_ptr<char> source = offered.of(next);
  const upcxx::global_ptr<char> target = landing.of(next);
  std::vector<char> received(options.size_bytes, static_cast<char>(-1));
  const std::vector<char> sent(options.size_bytes, static_cast<char>(me));

  nlohmann::ordered_json measurements;
  for (const Computing computing : {Computing::all, Computing::first}) {
    const Overlap get =
        measure(options, computing, [&] { return upcxx::rget(source, received.data(), options.size_bytes); });
    measurements.push_back(as_json("get", computing, get));
    const Overlap put =
        measure(options, computing, [&] { return upcxx::rput(sent.data(), target, options.size_bytes); });
    measurements.push_back(as_json("put", computing, put));
  }

  const auto all_are = [&](const char* bytes, int rank) {
    return std::all_of(bytes, bytes + options.size_bytes,
                       [&](char byte) { return byte == static_cast<char>(rank); });
  };
  const bool right = all_are(received.data(), next) && all_are(landing.local(), previous);
  const int wrong = upcxx::reduce_all(right ? 0 : 1, upcxx::op_fast_add).wait();
  if (upcxx.is_first()) {
    const nlohmann::ordered_json result = {
        {"program", "overlap_upcxx"},
        {"what", "share of a transfer hidden behind as long a computation that makes no call to UPC++"},
        {"ranks", upcxx.ranks()},
        {"ranks_of_first_node", upcxx::local_team().rank_n()},
        {"size_bytes", options.size_bytes},
        {"repetitions", options.repetitions},
        {"measurements", measurements},
        {"wrong_ranks", wrong}};
    print(result);
    if (wrong > 0) fmt::print(stderr, "overlap_upcxx: {} ranks have wrong values\n", wrong);
  }
  upcxx.barrier();
  return wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace finegrain::micro

int main(int argc, char** argv) {
  return finegrain::kernels::run_upcxx_program(argc, argv, finegrain::micro::run);
}
