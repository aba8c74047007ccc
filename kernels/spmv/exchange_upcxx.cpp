// SPDX-License-Identifier: MIT
#include "kernels/spmv/exchange_upcxx.hpp"

#include <algorithm>

#include "kernels/run/together.hpp"

namespace finegrain::kernels {
namespace {

/// What one rank needs of another: a part of its list of elements.
struct Need {
  std::int64_t first;
  std::int64_t count;
};

}  // namespace

PutExchanges find_exchanges(const Session& session, const SpmvInput& input, const OwnRows& own) {
  const auto needed = together(session, [&] { return needed_elements(input, own, session.rank()); });
  std::vector<std::int64_t> counts_in;
  std::vector<std::int32_t> elements_in;
  const SharedArray<Need> needs(session, session.ranks());
  for (const auto& of_owner : needed) {
    needs.local()[counts_in.size()] = {static_cast<std::int64_t>(elements_in.size()),
                                       static_cast<std::int64_t>(of_owner.size())};
    counts_in.push_back(static_cast<std::int64_t>(of_owner.size()));
    elements_in.insert(elements_in.end(), of_owner.begin(), of_owner.end());
  }
  const auto values_in = static_cast<std::int64_t>(elements_in.size());
  const SharedArray<std::int32_t> elements(session, values_in);
  std::copy(elements_in.begin(), elements_in.end(), elements.local());
  SharedArray<double> received(session, values_in);
  session.barrier();

  std::vector<std::int64_t> counts_out;
  std::vector<std::int32_t> indices_out;
  std::vector<upcxx::global_ptr<double>> targets;
  for (int reader = 0; reader < session.ranks(); ++reader) {
    const Need need = upcxx::rget(needs.of(reader) + session.rank()).wait();
    counts_out.push_back(need.count);
    if (need.count == 0) continue;
    std::vector<std::int32_t> part(static_cast<std::size_t>(need.count));
    upcxx::rget(elements.of(reader) + need.first, part.data(), part.size()).wait();
    for (const std::int32_t element : part)
      indices_out.push_back(static_cast<std::int32_t>(input.local_index(element)));
    targets.push_back(received.of(reader) + need.first);
  }
  session.barrier();
  return {make_exchange(counts_in, std::move(elements_in)), make_exchange(counts_out, std::move(indices_out)),
          std::move(received), std::move(targets)};
}

}  // namespace finegrain::kernels
