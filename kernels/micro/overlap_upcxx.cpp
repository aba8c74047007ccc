// SPDX-License-Identifier: MIT
//
// How much of a transfer goes on while a rank computes: every rank gets from (puts to) the next one, computes
// for as long as the transfer alone takes, without a call to UPC++, and then waits. If nothing moved
// meanwhile, both take as long as one after the other. Parse, allocate, time after a warm-up, validate.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <upcxx/upcxx.hpp>
#include <vector>

#include "kernels/micro/statistics.hpp"

namespace finegrain {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::size_t size_bytes = std::size_t{8} << 20;
  int repetitions = 11;
};

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

/// What rank 0 measured, known to all.
struct Overlap {
  Spread transfer_s;
  double compute_s = 0;
  Spread both_s;
  Spread hidden_share;  ///< of the transfer, in each pair of one without and one with computation
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
  const double compute_s = spread_of(warm_up_s).median;
  std::vector<double> transfer_s, both_s, hidden_share;
  for (int i = 0; i < options.repetitions; ++i) {
    transfer_s.push_back(seconds_with(0));
    both_s.push_back(seconds_with(compute_s));
    hidden_share.push_back((transfer_s.back() + compute_s - both_s.back()) / transfer_s.back());
  }
  return {spread_of(transfer_s), compute_s, spread_of(both_s), spread_of(hidden_share)};
}

nlohmann::ordered_json as_json(const Spread& spread) {
  return {{"median", spread.median}, {"min", spread.smallest}, {"max", spread.largest}};
}

nlohmann::ordered_json as_json(const std::string& operation, Computing computing, const Overlap& overlap) {
  return {{"operation", operation},
          {"computing", computing == Computing::all ? "all ranks" : "rank 0"},
          {"transfer_s", as_json(overlap.transfer_s)},
          {"compute_s", overlap.compute_s},
          {"both_s", as_json(overlap.both_s)},
          {"hidden_share", as_json(overlap.hidden_share)}};
}

/// @returns the exit code, the same on every rank
int run(const Options& options) {
  const int me = upcxx::rank_me();
  const int next = (me + 1) % upcxx::rank_n();
  const int previous = (me + upcxx::rank_n() - 1) % upcxx::rank_n();
  const auto offered = upcxx::new_array<char>(options.size_bytes);
  const auto landing = upcxx::new_array<char>(options.size_bytes);
  std::fill_n(offered.local(), options.size_bytes, static_cast<char>(me));
  std::fill_n(landing.local(), options.size_bytes, static_cast<char>(-1));
  const upcxx::dist_object<upcxx::global_ptr<char>> offers(offered);
  const upcxx::dist_object<upcxx::global_ptr<char>> landings(landing);
  const upcxx::global_ptr<char> source = offers.fetch(next).wait();
  const upcxx::global_ptr<char> target = landings.fetch(next).wait();
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
  if (me == 0) {
    const nlohmann::ordered_json result = {
        {"program", "overlap_upcxx"},
        {"what", "share of a transfer hidden behind as long a computation that makes no call to UPC++"},
        {"ranks", upcxx::rank_n()},
        {"ranks_of_first_node", upcxx::local_team().rank_n()},
        {"size_bytes", options.size_bytes},
        {"repetitions", options.repetitions},
        {"measurements", measurements},
        {"wrong_ranks", wrong}};
    fmt::print("{}\n", result.dump(2));
    if (wrong > 0) fmt::print(stderr, "overlap_upcxx: {} ranks have wrong values\n", wrong);
  }
  upcxx::barrier();
  upcxx::delete_array(offered);
  upcxx::delete_array(landing);
  return wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace finegrain

int main(int argc, char** argv) {
  finegrain::Options options;
  CLI::App app{"How much of a transfer goes on while ranks compute; JSON on stdout."};
  app.add_option("--bytes", options.size_bytes, "that each rank moves at once")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "the median of which counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  upcxx::init();
  int code = 0;
  try {
    app.parse(argc, argv);
    code = finegrain::run(options);
  } catch (const CLI::ParseError& error) {
    std::ostringstream silent;
    const int exit = upcxx::rank_me() == 0 ? app.exit(error) : app.exit(error, silent, silent);
    code = exit == 0 ? 0 : 2;
  } catch (const std::bad_alloc& error) {
    // Every rank asks for as much, so all are here.
    if (upcxx::rank_me() == 0) fmt::print(stderr, "overlap_upcxx: {}\n", error.what());
    code = 1;
  }
  upcxx::finalize();
  return code;
}
