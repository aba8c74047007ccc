// SPDX-License-Identifier: MIT
#include "sim/collectives/algorithm.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& linear_broadcast_family();

namespace {

/// The root sends to all others, and waits for all sends.
class LinearBroadcast : public Algorithm {
 public:
  std::string_view name() const override { return "linear"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::broadcast}; }

  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return rounds_of(call.ranks);
  }

  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    if (call.rank != call.root) {
      if (number == 0) script.receive(call.root, call.size_bytes);
      return;
    }
    for_each_item(number, call.ranks, [&](std::int64_t rank) {
      if (rank != call.root) script.start_send(static_cast<int>(rank), call.size_bytes);
    });
    if (number + 1 == rounds(call, choice)) script.complete(call.ranks - 1);
  }
};

}  // namespace

const Family& linear_broadcast_family() {
  static const LinearBroadcast linear;
  static const Family family{{&linear}};
  return family;
}

}  // namespace finegrain::collectives
