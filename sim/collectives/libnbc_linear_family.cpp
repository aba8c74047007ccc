// SPDX-License-Identifier: MIT
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& libnbc_linear_family();

namespace {

/// All messages at once, as coll/libnbc of Open MPI does. Where all exchange with all, a receive and a send
/// take turns. Only those with sizes for each pair of ranks send no empty messages.
class LinearNonblocking final : public Algorithm {
 public:
  std::string_view name() const override { return "libnbc_linear"; }
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::gather,   CollectiveKind::gatherv,   CollectiveKind::scatter,
            CollectiveKind::scatterv, CollectiveKind::allgather, CollectiveKind::allgatherv,
            CollectiveKind::alltoall, CollectiveKind::alltoallv, CollectiveKind::alltoallw};
  }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return rounds_of(call.ranks - 1) + 1;
  }

  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    if (number == 0) script.copy(own_bytes(call));
    if (number + 1 == rounds(call, choice)) return script.complete(requests(call));
    for_each_item(number, call.ranks - 1, [&](std::int64_t item) {
      const auto step = static_cast<int>(item) + 1;
      // An allgatherv goes around the ring; the others begin with rank 0.
      const bool is_ring = call.kind == CollectiveKind::allgatherv;
      const int in_order = step - 1 < call.rank ? step - 1 : step;
      const int from = is_ring ? neighbor(call, -step) : in_order;
      const int to = is_ring ? neighbor(call, step) : in_order;
      if (receives_from(call, from)) script.start_receive(from, received_bytes(call, from));
      if (sends_to(call, to)) script.start_send(to, sent_bytes(call, to));
    });
  }

 private:
  static bool is_gather(const Call& call) {
    return call.kind == CollectiveKind::gather || call.kind == CollectiveKind::gatherv;
  }
  static bool is_scatter(const Call& call) {
    return call.kind == CollectiveKind::scatter || call.kind == CollectiveKind::scatterv;
  }
  static bool has_pairs(const Call& call) {
    return call.kind == CollectiveKind::alltoallv || call.kind == CollectiveKind::alltoallw;
  }

  static bool receives_from(const Call& call, int from) {
    if (is_gather(call)) return call.rank == call.root;
    if (is_scatter(call)) return from == call.root;
    return !has_pairs(call) || bytes_from(call, from) > 0;
  }
  static bool sends_to(const Call& call, int to) {
    if (is_gather(call)) return to == call.root;
    if (is_scatter(call)) return call.rank == call.root;
    return !has_pairs(call) || bytes_to(call, to) > 0;
  }

  static std::int64_t received_bytes(const Call& call, int from) {
    if (has_pairs(call)) return bytes_from(call, from);
    return is_scatter(call) ? call.size_bytes : block_bytes(call, from);
  }
  static std::int64_t sent_bytes(const Call& call, int to) {
    if (has_pairs(call)) return bytes_to(call, to);
    return is_scatter(call) ? block_bytes(call, to) : call.size_bytes;
  }
  static std::int64_t own_bytes(const Call& call) {
    if (has_pairs(call)) return bytes_from(call, call.rank);
    if ((is_gather(call) || is_scatter(call)) && call.rank != call.root) return 0;
    return call.size_bytes;
  }

  static std::int64_t requests(const Call& call) {
    std::int64_t sum = 0;
    for (int rank = 0; rank < call.ranks; ++rank)
      if (rank != call.rank) sum += receives_from(call, rank) + sends_to(call, rank);
    return sum;
  }
};

}  // namespace

const Family& libnbc_linear_family() {
  static const LinearNonblocking linear;
  static const Family family{{&linear}};
  return family;
}

}  // namespace finegrain::collectives
