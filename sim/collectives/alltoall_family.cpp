// SPDX-License-Identifier: MIT
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& alltoall_family();

namespace {

/// All receives are begun, then all sends, then all are waited for.
class LinearAlltoall final : public Algorithm {
 public:
  explicit LinearAlltoall(std::string_view name, std::vector<CollectiveKind> kinds)
      : name_(name), kinds_(std::move(kinds)) {}

  std::string_view name() const override { return name_; }
  std::vector<CollectiveKind> kinds() const override { return kinds_; }

  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 * rounds_of(call.ranks - 1) + 1;
  }

  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const std::int64_t half = rounds(call, choice) / 2;
    if (number == 0) script.copy(bytes_from(call, call.rank));
    if (number == 2 * half) return script.complete(requests(call));
    for_each_item(number % half, call.ranks - 1, [&](std::int64_t item) {
      const bool receives = number < half;
      const int peer = peer_of(call, receives, static_cast<int>(item) + 1);
      const std::int64_t bytes = receives ? bytes_from(call, peer) : bytes_to(call, peer);
      if (is_left_out(call, bytes)) return;
      if (receives) {
        script.start_receive(peer, bytes);
      } else {
        script.start_send(peer, bytes);
      }
    });
  }

 private:
  /// An alltoall goes around the ring in both directions, one with sizes of their own from rank 0 on.
  static int peer_of(const Call& call, bool receives, int item) {
    if (call.kind == CollectiveKind::alltoall) return neighbor(call, receives ? item : -item);
    return item - 1 < call.rank ? item - 1 : item;
  }

  /// An alltoallw sends no empty messages.
  static bool is_left_out(const Call& call, std::int64_t bytes) {
    return bytes == 0 && call.kind == CollectiveKind::alltoallw;
  }

  static std::int64_t requests(const Call& call) {
    if (call.kind != CollectiveKind::alltoallw) return 2 * (call.ranks - 1);
    std::int64_t sum = 0;
    for (int rank = 0; rank < call.ranks; ++rank)
      if (rank != call.rank) sum += (bytes_from(call, rank) > 0) + (bytes_to(call, rank) > 0);
    return sum;
  }

  std::string_view name_;
  std::vector<CollectiveKind> kinds_;
};

/// In step k, each rank sends to the one k further on the ring.
class PairwiseAlltoall final : public Algorithm {
 public:
  std::string_view name() const override { return "pairwise"; }
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::alltoall, CollectiveKind::alltoallv};
  }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override { return call.ranks; }
  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    // The copy of a rank's own block comes last in an alltoall, first in an alltoallv.
    const std::int64_t step = number + (call.kind == CollectiveKind::alltoall ? 1 : 0);
    const int to = neighbor(call, step);
    const int from = neighbor(call, -step);
    script.exchange(to, bytes_to(call, to), from, bytes_from(call, from));
  }
};

/// In step k, all blocks whose distance to their rank has bit k go 2^k further.
/// Source: J. Bruck et al., "Efficient algorithms for all-to-all communications in multiport message-passing
/// systems", IEEE TPDS 8(11), 1997.
class BruckAlltoall final : public Algorithm {
 public:
  std::string_view name() const override { return "bruck"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::alltoall}; }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 + log2_ceil(call.ranks);
  }
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    if (number == 0 || number + 1 == rounds(call, choice)) return script.copy(call.ranks * call.size_bytes);
    const int distance = 1 << (number - 1);
    std::int64_t bytes = 0;
    for (int away = 1; away < call.ranks; ++away)
      if ((away & distance) != 0) bytes += call.size_bytes;
    script.exchange(neighbor(call, distance), bytes, neighbor(call, -distance), bytes);
    script.copy(bytes);
  }
};

/// Two ranks exchange their blocks.
class TwoRanksAlltoall final : public Algorithm {
 public:
  std::string_view name() const override { return "two_ranks"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::alltoall}; }
  Choice effective(const Call& call, Choice choice) const override {
    if (call.ranks != 2) choice.algorithm = &algorithm(call.kind, "pairwise");
    return choice;
  }
  std::int64_t rounds(const Call& /*call*/, const Choice& /*choice*/) const override { return 1; }
  void round(std::int64_t /*number*/, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    script.exchange(1 - call.rank, call.size_bytes, call.size_bytes);
    script.copy(call.size_bytes);
  }
};

}  // namespace

const Family& alltoall_family() {
  static const LinearAlltoall linear(
      "linear", {CollectiveKind::alltoall, CollectiveKind::alltoallv, CollectiveKind::alltoallw});
  // Open MPI's limits the open requests, which by default it does not.
  static const LinearAlltoall linear_sync("linear_sync", {CollectiveKind::alltoall});
  static const PairwiseAlltoall pairwise;
  static const BruckAlltoall bruck;
  static const TwoRanksAlltoall two_ranks;
  static const Family family{{&linear, &linear_sync, &pairwise, &bruck, &two_ranks}};
  return family;
}

}  // namespace finegrain::collectives
