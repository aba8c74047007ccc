// SPDX-License-Identifier: MIT
#include "calls_of_all.hpp"

namespace finegrain::test {

using collectives::Call;

std::vector<Call> calls_of_all(Call call, std::vector<std::vector<std::int64_t>>& storage) {
  const auto block = [&](int rank) { return rank % 3 * call.size_bytes; };
  const auto pair = [&](int from, int to) { return (from + to) % 3 * call.size_bytes; };
  std::vector<Call> calls;
  storage.assign(static_cast<std::size_t>(call.ranks), {});
  for (int rank = 0; rank < call.ranks; ++rank) {
    std::vector<std::int64_t>& sizes = storage[static_cast<std::size_t>(rank)];
    Call own = call;
    own.rank = rank;
    switch (call.kind) {
      case CollectiveKind::gatherv:
      case CollectiveKind::scatterv:
      case CollectiveKind::allgatherv:
      case CollectiveKind::reduce_scatter:
        for (int other = 0; other < call.ranks; ++other)
          sizes.push_back(block(other));
        own.size_bytes = block(rank);
        break;
      case CollectiveKind::alltoallv:
      case CollectiveKind::alltoallw:
        for (int other = 0; other < call.ranks; ++other)
          sizes.push_back(pair(rank, other));
        for (int other = 0; other < call.ranks; ++other)
          sizes.push_back(pair(other, rank));
        break;
      case CollectiveKind::neighbor_allgather:
      case CollectiveKind::neighbor_allgatherv:
      case CollectiveKind::neighbor_alltoall:
      case CollectiveKind::neighbor_alltoallv:
      case CollectiveKind::neighbor_alltoallw:
        sizes = {2, 2};
        for (int direction = 0; direction < 2; ++direction)
          for (const int other : {(rank + call.ranks - 1) % call.ranks, (rank + 1) % call.ranks}) {
            sizes.push_back(other);
            sizes.push_back(call.size_bytes);
          }
        break;
      default:
        break;
    }
    own.sizes = sizes;
    calls.push_back(own);
  }
  return calls;
}

}  // namespace finegrain::test
