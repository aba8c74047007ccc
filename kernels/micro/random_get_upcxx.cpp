// SPDX-License-Identifier: MIT
//
// tau, the time of one individual access to another rank's memory: Listing 6 of Lagravière et al. 2019. Every
// rank reads elements of the others in random order, one after the other; the time to walk through the
// indices alone is subtracted. Parse, allocate, time after a warm-up, validate.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>
#include <upcxx/upcxx.hpp>
#include <vector>

#include "kernels/micro/slowest_seconds.hpp"
#include "kernels/micro/statistics.hpp"
#include "kernels/run/node_layout.hpp"
#include "kernels/run/run_options.hpp"
#include "kernels/upcxx/shared_array.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace finegrain::micro {
namespace {

struct Options {
  std::int64_t elements = 1 << 16;
  std::int64_t accesses = 1 << 16;
  int repetitions = 5;
};

Options parse(const kernels::Session& session, int argc, char** argv) {
  Options options;
  parse_options(
      session,
      "tau, the time of one individual access to another rank's memory: every rank reads single doubles of "
      "the\n"
      "others in random order, each before the next; JSON on stdout. Ranks of one node make it a load from "
      "shared\n"
      "memory: put them on several.\n"
      "Example: mpirun --map-by ppr:1:node -n 2 random_get_upcxx  (upcxx-run -n 2 with a real UPC++)",
      {{"--elements", &options.elements, "doubles that each rank shares", 1, 1 << 28},
       {"--accesses", &options.accesses, "of each rank", 1, 1 << 28},
       {"--repetitions", &options.repetitions, "the median of which counts", 1, 1000}},
      argc, argv);
  return options;
}

/// Where a rank's next access goes.
struct Access {
  int rank;
  std::int32_t element;
};

double value_of(int rank, std::int64_t element) {
  return rank + static_cast<double>(element % 1024) / 1024.0;
}

/// Random elements of the other ranks; its own if there are none.
std::vector<Access> random_accesses(const Options& options) {
  const int me = upcxx::rank_me();
  const int ranks = upcxx::rank_n();
  std::mt19937_64 random(static_cast<std::uint64_t>(me) + 1);
  std::vector<Access> accesses;
  for (std::int64_t i = 0; i < options.accesses; ++i) {
    const auto step = ranks == 1 ? 0 : 1 + random() % static_cast<std::uint64_t>(ranks - 1);
    accesses.push_back(
        {static_cast<int>((static_cast<std::uint64_t>(me) + step) % static_cast<std::uint64_t>(ranks)),
         static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(options.elements))});
  }
  return accesses;
}

int run(const kernels::UpcxxSession& upcxx, int argc, char** argv) {
  const Options options = parse(upcxx, argc, argv);
  const kernels::SharedArray<double> values(upcxx, options.elements);
  for (std::int64_t i = 0; i < options.elements; ++i)
    values.local()[i] = value_of(upcxx.rank(), i);
  const std::vector<Access> accesses = random_accesses(options);
  upcxx.barrier();

  double sum = 0;
  const auto get_all = [&] {
    sum = 0;
    for (const auto& [rank, element] : accesses)
      sum += upcxx::rget(values.of(rank) + element).wait();
  };
  volatile std::int64_t keep = 0;
  const auto walk = [&] {
    std::int64_t total = 0;
    for (const auto& [rank, element] : accesses)
      total += rank + element;
    keep = total;
  };
  get_all();  // warm-up
  std::vector<double> per_access_s;
  for (int i = 0; i < options.repetitions; ++i)
    per_access_s.push_back((slowest_seconds(upcxx, get_all) - slowest_seconds(upcxx, walk)) /
                           static_cast<double>(options.accesses));

  double expected = 0;
  for (const auto& [rank, element] : accesses)
    expected += value_of(rank, element);
  // The same additions in the same order: equal to the last bit.
  const int wrong = upcxx::reduce_all(sum == expected ? 0 : 1, upcxx::op_fast_add).wait();

  const std::string pinning = pinning_of_ranks(upcxx);
  const std::vector<std::string> hosts = hosts_of_ranks(upcxx);
  if (upcxx.is_first()) {
    const nlohmann::ordered_json result = {{"program", "random_get_upcxx"},
                                           {"what", "one individual get of 8 bytes, seconds"},
                                           {"ranks", upcxx.ranks()},
                                           {"ranks_of_first_node", upcxx::local_team().rank_n()},
                                           {"pinning", pinning},
                                           {"hosts", hosts},
                                           {"accesses_per_rank", options.accesses},
                                           {"seconds_per_access", spread_json(per_access_s)},
                                           {"wrong_ranks", wrong}};
    print(result);
    if (wrong > 0) fmt::print(stderr, "random_get_upcxx: {} ranks read wrong values\n", wrong);
  }
  upcxx.barrier();
  return wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace finegrain::micro

int main(int argc, char** argv) {
  return finegrain::kernels::run_upcxx_program(argc, argv, finegrain::micro::run);
}
