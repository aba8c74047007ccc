// SPDX-License-Identifier: MIT
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& allgather_family();

namespace {

class Allgather : public Algorithm {
 public:
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::allgather, CollectiveKind::allgatherv};
  }

  /// Step 1 is the first one.
  virtual void step(int number, const Call& call, Script& script) const = 0;

  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const final {
    Script script(call.rank, out);
    if (number == 0) {
      script.copy(block_bytes(call, call.rank));
    } else {
      step(static_cast<int>(number), call, script);
    }
  }
};

/// In step k, a rank gets what the one 2^k further has, up to all blocks.
/// Source: J. Bruck et al., "Efficient algorithms for all-to-all communications in multiport message-passing
/// systems", IEEE TPDS 8(11), 1997.
class BruckAllgather final : public Allgather {
 public:
  std::string_view name() const override { return "bruck"; }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 + log2_ceil(call.ranks);
  }
  void step(int number, const Call& call, Script& script) const override {
    if (number > log2_ceil(call.ranks)) return rotate(call, script);
    const int distance = 1 << (number - 1);
    const int blocks = std::min(distance, call.ranks - distance);
    const int from = neighbor(call, distance);
    script.exchange(neighbor(call, -distance), blocks_bytes_around(call, call.rank, blocks), from,
                    blocks_bytes_around(call, from, blocks));
  }

 private:
  /// A rank's own block came first. Blocks of sizes of their own were received into their places.
  static void rotate(const Call& call, Script& script) {
    if (call.kind == CollectiveKind::allgatherv || call.rank == 0) return;
    const std::int64_t own_and_later = (call.ranks - call.rank) * call.size_bytes;
    script.copy(own_and_later);
    script.copy(call.rank * call.size_bytes);
    script.copy(own_and_later);
  }
};

/// Groups of 1, 2, 4, ... ranks exchange what they have. Other numbers of ranks take Bruck's.
class RecursiveDoublingAllgather final : public Allgather {
 public:
  std::string_view name() const override { return "recursive_doubling"; }
  Choice effective(const Call& call, Choice choice) const override {
    if (!is_power_of_two(call.ranks)) choice.algorithm = &algorithm(call.kind, "bruck");
    return choice;
  }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 1 + log2_floor(call.ranks);
  }
  void step(int number, const Call& call, Script& script) const override {
    const int width = 1 << (number - 1);
    const int own = call.rank / width * width;
    const int other = own ^ width;
    script.exchange(call.rank ^ width, blocks_bytes(call, own, own + width),
                    blocks_bytes(call, other, other + width));
  }
};

/// Blocks go around the ring.
class RingAllgather final : public Allgather {
 public:
  std::string_view name() const override { return "ring"; }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override { return call.ranks; }
  void step(int number, const Call& call, Script& script) const override {
    script.exchange(neighbor(call, 1), block_bytes(call, neighbor(call, 1 - number)), neighbor(call, -1),
                    block_bytes(call, neighbor(call, -number)));
  }
};

/// Ranks exchange with their two neighbours in turns, from the second step on the two blocks that they got
/// last. An odd number of ranks takes the ring.
/// Source: J. Chen et al., "Performance evaluation of allgather algorithms on Terascale Linux cluster with
/// Fast Ethernet", HPC Asia 2005.
class NeighborExchange final : public Allgather {
 public:
  std::string_view name() const override { return "neighbor_exchange"; }
  Choice effective(const Call& call, Choice choice) const override {
    if (call.ranks % 2 != 0) choice.algorithm = &algorithm(call.kind, "ring");
    return choice;
  }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 1 + call.ranks / 2;
  }
  void step(int number, const Call& call, Script& script) const override {
    const bool is_even = call.rank % 2 == 0;
    const int peer = neighbor(call, is_even == (number % 2 == 1) ? 1 : -1);
    if (number == 1) return script.exchange(peer, block_bytes(call, call.rank), block_bytes(call, peer));
    script.exchange(peer, pair_bytes(call, received_in(number - 1, call)),
                    pair_bytes(call, received_in(number, call)));
  }

 private:
  /// The first of the two blocks that a rank gets in a step; after the first step it has those of its pair.
  static int received_in(int number, const Call& call) {
    const int pair = call.rank - call.rank % 2;
    const int away = number / 2 * 2;
    const bool is_even = call.rank % 2 == 0;
    const int direction = is_even == (number % 2 == 1) ? 1 : -1;
    return ((pair + direction * away) % call.ranks + call.ranks) % call.ranks;
  }
  static std::int64_t pair_bytes(const Call& call, int first) { return blocks_bytes(call, first, first + 2); }
};

/// Two ranks exchange their blocks.
class TwoRanksAllgather final : public Allgather {
 public:
  std::string_view name() const override { return "two_ranks"; }
  Choice effective(const Call& call, Choice choice) const override {
    if (call.ranks != 2) choice.algorithm = &algorithm(call.kind, "ring");
    return choice;
  }
  std::int64_t rounds(const Call& /*call*/, const Choice& /*choice*/) const override { return 2; }
  void step(int /*number*/, const Call& call, Script& script) const override {
    const int peer = 1 - call.rank;
    script.exchange(peer, block_bytes(call, call.rank), block_bytes(call, peer));
  }
};

}  // namespace

const Family& allgather_family() {
  static const BruckAllgather bruck;
  static const RecursiveDoublingAllgather recursive_doubling;
  static const RingAllgather ring;
  static const NeighborExchange neighbor_exchange;
  static const TwoRanksAllgather two_ranks;
  static const Family family{{&bruck, &recursive_doubling, &ring, &neighbor_exchange, &two_ranks}};
  return family;
}

}  // namespace finegrain::collectives
