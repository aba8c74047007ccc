// SPDX-License-Identifier: MIT
#include "kernels/spmv/exchange_mpi.hpp"

#include <CLI/CLI.hpp>
#include <numeric>

namespace finegrain::kernels {
namespace {

constexpr std::int64_t index_bytes = sizeof(std::int32_t);

/// What finding the needed elements moves: each column index read; of each element of x a bit cleared, and
/// read; those needed written. Nothing where there are no rows.
Work find_work(const SpmvInput& input, const OwnRows& own, std::size_t needed) {
  if (input.own_rows() == 0) return {};
  const std::int64_t bits_bytes = (input.distribution.size() + 7) / 8;
  return {.memory_bytes = (input.own_rows() * own.r_nz + static_cast<std::int64_t>(needed)) * index_bytes +
                          2 * bits_bytes};
}

}  // namespace

void add_copy_option(CLI::App& app, std::string& copy) {
  app.add_option("--copy", copy,
                 "where x is read: full (a copy of all of x), compact (only the elements that a rank needs)")
      ->check(CLI::IsMember({"full", "compact"}))
      ->capture_default_str();
}

void add_preparation_option(CLI::App& app, bool& prepares) {
  app.add_flag("--preparation", prepares,
               "Instead of the products: each iteration is what is done once before the first of them")
      ->excludes("--copy");
}

Exchanges find_exchanges(RecordedMessages& messages, int rank, const SpmvInput& input, const OwnRows& own) {
  static const RegionName find("find");
  static const RegionName counts("counts");
  static const RegionName lists("lists");
  static const RegionName places("places");
  std::vector<int> counts_in;
  std::vector<std::int32_t> elements_in;
  messages.region(find, [&] {
    for (const auto& of_owner : needed_elements(input, own, rank)) {
      counts_in.push_back(static_cast<int>(of_owner.size()));
      elements_in.insert(elements_in.end(), of_owner.begin(), of_owner.end());
    }
    messages.work(find_work(input, own, elements_in.size()));
  });
  std::vector<int> counts_out(counts_in.size());
  messages.region(counts, [&] { messages.exchange_numbers(counts_in, counts_out); });
  std::vector<std::int32_t> elements_out(
      std::accumulate(counts_out.begin(), counts_out.end(), std::size_t{0}));
  messages.region(lists, [&] { messages.exchange_lists(elements_in, counts_in, elements_out, counts_out); });
  messages.region(places, Work{2 * index_bytes * static_cast<std::int64_t>(elements_out.size())}, [&] {
    for (std::int32_t& element : elements_out)
      element = static_cast<std::int32_t>(input.local_index(element));
  });
  return {make_exchange({counts_in.begin(), counts_in.end()}, std::move(elements_in)),
          make_exchange({counts_out.begin(), counts_out.end()}, std::move(elements_out))};
}

}  // namespace finegrain::kernels
