// SPDX-License-Identifier: MIT
#include "kernels/micro/neighbour_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <upcxx/upcxx.hpp>
#include <vector>

#include "kernels/micro/slowest_seconds.hpp"
#include "kernels/micro/statistics.hpp"
#include "kernels/run/node_layout.hpp"
#include "kernels/run/run_options.hpp"
#include "kernels/upcxx/shared_array.hpp"

namespace finegrain::micro {
namespace {

enum class Order { stride_1, random };

double value_of(int rank, std::int64_t element) {
  return rank + static_cast<double>(element % 1024) / 1024.0;
}

/// The elements that a rank accesses, in order; the list is the same on whichever rank it is computed.
std::vector<std::int64_t> accessed_elements(const AccessOptions& options, Order order, int rank) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
  std::vector<std::int64_t> elements;
  for (std::int64_t i = 0; i < options.accesses; ++i) {
    elements.push_back(
        order == Order::stride_1
            ? i % options.elements
            : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(options.elements)));
  }
  return elements;
}

/// A rank's elements, as they are before anyone writes there.
std::vector<double> start_values(const AccessOptions& options, int rank) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < options.elements; ++i)
    values.push_back(value_of(rank, i));
  return values;
}

nlohmann::ordered_json as_json(const std::string& pattern, const std::vector<double>& per_access_s) {
  return {{"pattern", pattern},
          {"seconds_per_access", spread_json(per_access_s)},
          {"bytes_per_s", sizeof(double) / median_of(per_access_s)}};
}

/// Seconds of one access, one value for each repetition, after a warm-up.
template <class Work>
std::vector<double> time_accesses(const kernels::Session& session, const AccessOptions& options, Work work) {
  std::vector<double> per_access_s;
  for (int i = 0; i <= options.repetitions; ++i) {
    const double seconds = slowest_seconds(session, work);
    if (i > 0) per_access_s.push_back(seconds / static_cast<double>(options.accesses));
  }
  return per_access_s;
}

}  // namespace

AccessOptions parse_access_options(const kernels::Session& session, const std::string& description, int argc,
                                   char** argv) {
  AccessOptions options;
  parse_options(session, description,
                {{"--elements", &options.elements, "doubles that each rank shares", 1, 1 << 28},
                 {"--accesses", &options.accesses, "of each rank that accesses, a pattern", 1, 1 << 28},
                 {"--repetitions", &options.repetitions, "the median of which counts", 1, 1000}},
                argc, argv);
  return options;
}

AccessResult measure_accesses(const kernels::Session& session, const AccessOptions& options,
                              const std::function<std::optional<int>(int rank)>& target_of) {
  const int me = session.rank();
  const std::optional<int> target = target_of(me);
  std::optional<int> writer;  // the rank that writes into this rank's part
  for (int rank = 0; rank < session.ranks(); ++rank)
    if (target_of(rank) == me) writer = rank;
  const kernels::SharedArray<double> parts(session, options.elements);
  const std::vector<double> start = start_values(options, me);
  std::copy(start.begin(), start.end(), parts.local());
  const auto target_part = target ? parts.of(*target) : nullptr;
  session.barrier();

  AccessResult result;
  bool right = true;
  for (const Order order : {Order::stride_1, Order::random}) {
    const std::string name = order == Order::stride_1 ? "stride-1" : "random";
    const std::vector<std::int64_t> elements =
        target ? accessed_elements(options, order, me) : std::vector<std::int64_t>{};

    double sum = 0;
    const auto read_all = [&] {
      sum = 0;
      for (const std::int64_t element : elements)
        sum += upcxx::rget(target_part + element).wait();
    };
    result.patterns.push_back(as_json(name + " read", time_accesses(session, options, read_all)));
    double expected = 0;
    for (const std::int64_t element : elements)
      expected += value_of(*target, element);
    // The same additions in the same order: equal to the last bit.
    right = right && sum == expected;

    session.barrier();  // all have read
    std::vector<upcxx::future<>> under_way;
    under_way.reserve(elements.size());
    const auto write_all = [&] {
      for (const std::int64_t element : elements)
        under_way.push_back(upcxx::rput(-value_of(me, element), target_part + element));
      for (upcxx::future<>& written : under_way)
        written.wait();
      under_way.clear();
    };
    result.patterns.push_back(as_json(name + " write", time_accesses(session, options, write_all)));
    std::vector<double> memory = start;
    if (writer)
      for (const std::int64_t element : accessed_elements(options, order, *writer))
        memory[static_cast<std::size_t>(element)] = -value_of(*writer, element);
    right = right && std::equal(memory.begin(), memory.end(), parts.local());
    std::copy(start.begin(), start.end(), parts.local());
    session.barrier();
  }
  result.wrong_ranks = upcxx::reduce_all(right ? 0 : 1, upcxx::op_fast_add).wait();
  return result;
}

int report_accesses(const kernels::Session& session, const char* program, const char* what,
                    const AccessOptions& options, const AccessResult& result) {
  const std::string pinning = pinning_of_ranks(session);
  const std::vector<std::string> hosts = hosts_of_ranks(session);
  if (session.is_first()) {
    const nlohmann::ordered_json report = {{"program", program},
                                           {"what", what},
                                           {"ranks", session.ranks()},
                                           {"ranks_of_first_node", upcxx::local_team().rank_n()},
                                           {"pinning", pinning},
                                           {"hosts", hosts},
                                           {"accesses_per_rank", options.accesses},
                                           {"patterns", result.patterns},
                                           {"wrong_ranks", result.wrong_ranks}};
    print(report);
    std::fflush(stdout);
    if (result.wrong_ranks > 0) {
      fmt::print(stderr, "{}: {} ranks read or hold wrong values (network, or a bug). Run it again\n",
                 program, result.wrong_ranks);
    }
  }
  session.barrier();
  return result.wrong_ranks > 0 ? 1 : 0;
}

}  // namespace finegrain::micro
