// SPDX-License-Identifier: MIT
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& linear_reduce_family();

namespace {

/// The root receives from the last rank to the first, one after the other, and combines in that order.
class LinearReduce : public Algorithm {
 public:
  std::string_view name() const override { return "linear"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::reduce}; }

  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return rounds_of(call.ranks);
  }

  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    if (call.rank != call.root) {
      if (number == 0) script.send(call.root, call.size_bytes);
      return;
    }
    for_each_item(number, call.ranks, [&](std::int64_t item) {
      const int rank = call.ranks - 1 - static_cast<int>(item);
      if (rank != call.root) script.receive(rank, call.size_bytes);
      if (item > 0) {
        script.reduce(call.size_bytes);
      } else if (rank == call.root) {
        script.copy(call.size_bytes);
      }
    });
  }
};

}  // namespace

const Family& linear_reduce_family() {
  static const LinearReduce linear;
  static const Family family{{&linear}};
  return family;
}

}  // namespace finegrain::collectives
