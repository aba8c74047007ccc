// SPDX-License-Identifier: MIT
#include "sim/collectives/algorithm.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& neighbor_family();

namespace {

/// All receives from neighbours are begun, then all sends, then all are waited for.
class LinearNeighbor final : public Algorithm {
 public:
  std::string_view name() const override { return "linear"; }
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::neighbor_allgather, CollectiveKind::neighbor_allgatherv,
            CollectiveKind::neighbor_alltoall, CollectiveKind::neighbor_alltoallv,
            CollectiveKind::neighbor_alltoallw};
  }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return rounds_of(sends(call) + receives(call)) + 1;
  }
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const std::int64_t all = sends(call) + receives(call);
    if (number + 1 == rounds(call, choice)) return script.complete(all);
    for_each_item(number, all, [&](std::int64_t item) {
      // In the call, those that it sends to come first.
      const bool is_receive = item < receives(call);
      const std::int64_t place = is_receive ? sends(call) + item : item - receives(call);
      const auto at = static_cast<std::size_t>(2 + 2 * place);
      const auto peer = static_cast<int>(call.sizes[at]);
      if (is_receive) {
        script.start_receive(peer, call.sizes[at + 1]);
      } else {
        script.start_send(peer, call.sizes[at + 1]);
      }
    });
  }

 private:
  static std::int64_t sends(const Call& call) { return call.sizes.empty() ? 0 : call.sizes[0]; }
  static std::int64_t receives(const Call& call) { return call.sizes.empty() ? 0 : call.sizes[1]; }
};

}  // namespace

const Family& neighbor_family() {
  static const LinearNeighbor linear;
  static const Family family{{&linear}};
  return family;
}

}  // namespace finegrain::collectives
