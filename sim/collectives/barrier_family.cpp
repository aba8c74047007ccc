// SPDX-License-Identifier: MIT
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& barrier_family();

namespace {

/// Messages of a barrier are empty.
class Barrier : public Algorithm {
 public:
  explicit Barrier(std::string_view name) : name_(name) {}
  std::string_view name() const override { return name_; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::barrier}; }

 private:
  std::string_view name_;
};

/// All tell rank 0, which then tells all.
class LinearBarrier final : public Barrier {
 public:
  LinearBarrier() : Barrier("linear") {}
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 * rounds_of(call.ranks);
  }
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    if (call.rank > 0) {
      if (number > 0) return;
      script.send(0, 0);
      return script.receive(0, 0);
    }
    const std::int64_t half = rounds(call, choice) / 2;
    for_each_item(number % half, call.ranks, [&](std::int64_t rank) {
      if (rank == 0) return;
      if (number < half) {
        script.start_receive(static_cast<int>(rank), 0);
      } else {
        script.send(static_cast<int>(rank), 0);
      }
    });
    if (number + 1 == half) script.complete(call.ranks - 1);
  }
};

/// A token goes around the ring twice.
class DoubleRingBarrier final : public Barrier {
 public:
  DoubleRingBarrier() : Barrier("double_ring") {}
  std::int64_t rounds(const Call& /*call*/, const Choice& /*choice*/) const override { return 2; }
  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const int left = neighbor(call, -1);
    const int right = neighbor(call, 1);
    if (call.rank > 0) script.receive(left, 0);
    if (number == 0) {
      script.send(right, 0);
    } else {
      script.send_synchronously(right, 0);
    }
    if (call.rank == 0) script.receive(left, 0);
  }
};

/// Exchanges at distance 1, 2, 4, ... among a power of two of ranks; the others wait for one of these.
class RecursiveDoublingBarrier final : public Barrier {
 public:
  RecursiveDoublingBarrier() : Barrier("recursive_doubling") {}
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 + log2_floor(call.ranks);
  }
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const int size = 1 << log2_floor(call.ranks);
    const bool has_guest = call.rank < call.ranks - size;
    if (call.rank >= size) {
      if (number == 0) script.exchange(call.rank - size, 0, 0);
    } else if (number == 0) {
      if (has_guest) script.receive(call.rank + size, 0);
    } else if (number + 1 < rounds(call, choice)) {
      script.exchange(call.rank ^ (1 << (number - 1)), 0, 0);
    } else if (has_guest) {
      script.send_synchronously(call.rank + size, 0);
    }
  }
};

/// In step k, each rank tells the one 2^k further on the ring.
/// Source: D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier synchronization", IJPP 17(1), 1988.
class DisseminationBarrier final : public Barrier {
 public:
  using Barrier::Barrier;
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return log2_ceil(call.ranks);
  }
  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const std::int64_t distance = std::int64_t{1} << number;
    script.exchange(neighbor(call, distance), 0, neighbor(call, -distance), 0);
  }
};

/// Up a binomial tree to rank 0, and down again.
class TreeBarrier final : public Barrier {
 public:
  TreeBarrier() : Barrier("tree") {}
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 * log2_ceil(call.ranks);
  }
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const auto levels = static_cast<int>(rounds(call, choice) / 2);
    const bool is_up = number < levels;
    const int distance = 1 << (is_up ? number : 2 * levels - 1 - number);
    const int peer = call.rank ^ distance;
    if (peer % distance != 0 || peer >= call.ranks) return;
    if ((peer > call.rank) == is_up) {
      script.receive(peer, 0);
    } else {
      script.send(peer, 0);
    }
  }
};

}  // namespace

const Family& barrier_family() {
  static const LinearBarrier linear;
  static const DoubleRingBarrier double_ring;
  static const RecursiveDoublingBarrier recursive_doubling;
  static const DisseminationBarrier dissemination("dissemination");
  static const TreeBarrier tree;
  static const Family family{{&linear, &double_ring, &recursive_doubling, &dissemination, &tree}};
  return family;
}

}  // namespace finegrain::collectives
