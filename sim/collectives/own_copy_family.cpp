// SPDX-License-Identifier: MIT
#include "sim/collectives/algorithm.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& own_copy_family();

namespace {

/// Nothing is sent: the communicator has one rank, or there is nothing to send. A rank copies its own data.
class OwnCopy final : public Algorithm {
 public:
  std::string_view name() const override { return "own_copy"; }
  std::vector<CollectiveKind> kinds() const override {
    std::vector<CollectiveKind> all;
    for (int kind = 0; kind <= static_cast<int>(CollectiveKind::alltoallw); ++kind)
      all.push_back(static_cast<CollectiveKind>(kind));
    for (const CollectiveKind kind :
         {CollectiveKind::reduce, CollectiveKind::allreduce, CollectiveKind::reduce_scatter,
          CollectiveKind::reduce_scatter_block, CollectiveKind::scan, CollectiveKind::exscan})
      all.push_back(kind);
    return all;
  }
  std::int64_t rounds(const Call& /*call*/, const Choice& /*choice*/) const override { return 1; }
  void round(std::int64_t /*number*/, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    const bool has_two_buffers = call.kind != CollectiveKind::barrier &&
                                 call.kind != CollectiveKind::broadcast &&
                                 call.kind != CollectiveKind::exscan;
    if (has_two_buffers) Script(call.rank, out).copy(call.size_bytes);
  }
};

}  // namespace

const Family& own_copy_family() {
  static const OwnCopy own_copy;
  static const Family family{{&own_copy}};
  return family;
}

}  // namespace finegrain::collectives
