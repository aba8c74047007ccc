// SPDX-License-Identifier: MIT
#include "kernels/spmv/exchange_mpi.hpp"

#include <numeric>

namespace finegrain::kernels {

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
  messages.region(places, places_work(elements_out.size()), [&] {
    for (std::int32_t& element : elements_out)
      element = static_cast<std::int32_t>(input.local_index(element));
  });
  return {make_exchange({counts_in.begin(), counts_in.end()}, std::move(elements_in)),
          make_exchange({counts_out.begin(), counts_out.end()}, std::move(elements_out))};
}

}  // namespace finegrain::kernels
