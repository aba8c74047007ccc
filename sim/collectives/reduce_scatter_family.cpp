// SPDX-License-Identifier: MIT
#include "sim/collectives/folded.hpp"
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& reduce_scatter_family();

namespace {

const std::vector<CollectiveKind> both{CollectiveKind::reduce_scatter, CollectiveKind::reduce_scatter_block};

/// Bytes of the blocks of the ranks [first, end) of those that take part: those of a folded pair are one's.
std::int64_t folded_bytes(const Call& call, const Fold& fold, int first, int end) {
  const auto begin_of = [&](int number) { return number < fold.extra ? 2 * number : number + fold.extra; };
  return blocks_bytes(call, begin_of(first), begin_of(end));
}

std::int64_t all_bytes(const Call& call) {
  return blocks_bytes(call, 0, call.ranks);
}

/// Partners at half the distance of the step before exchange the halves of what they still have.
/// Source: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005.
class RecursiveHalving final : public Algorithm {
 public:
  std::string_view name() const override { return "recursive_halving"; }
  std::vector<CollectiveKind> kinds() const override { return both; }
  Choice effective(const Call& call, Choice choice) const override {
    if (call.commutative || call.kind == CollectiveKind::reduce_scatter) return choice;
    choice.algorithm = &algorithm(call.kind, "linear");
    return choice.algorithm->effective(call, choice);
  }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 + log2_floor(call.ranks);
  }
  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const Fold fold(call.ranks, Survivor::odd);
    if (number == 0) {
      fold_in(all_bytes(call), call, fold, script);
    } else if (number <= fold.steps) {
      halve(fold.size >> number, call, fold, script);
    } else {
      unfold(call, fold, script);
    }
  }

 private:
  /// A rank keeps the half of 2 * width numbers that it is in. Empty messages are not sent.
  static void halve(int width, const Call& call, const Fold& fold, Script& script) {
    const int own = fold.number(call.rank);
    if (own < 0) return;
    const int peer = fold.rank(own ^ width);
    const int kept = own / width * width;
    const int given = kept ^ width;
    const std::int64_t received = folded_bytes(call, fold, kept, kept + width);
    const std::int64_t sent = folded_bytes(call, fold, given, given + width);
    if (received > 0) script.start_receive(peer, received);
    if (sent > 0) script.send(peer, sent);
    if (received > 0) script.complete();
    script.reduce(received);
  }

  static void unfold(const Call& call, const Fold& fold, Script& script) {
    const int partner = fold.partner(call.rank);
    const bool waits = fold.number(call.rank) < 0;
    if (!waits) script.copy(block_bytes(call, call.rank));
    if (!fold.is_folded(call.rank)) return;
    const std::int64_t bytes = block_bytes(call, waits ? call.rank : partner);
    if (bytes == 0) return;
    if (waits) return script.receive(partner, bytes);
    script.send(partner, bytes);
  }
};

/// Partners at distance 1, 2, 4, ... exchange halves; then blocks go to the ranks that they belong to, whose
/// numbers are the senders' with their bits reversed.
/// Source: J. L. Träff, "An improved algorithm for (non-commutative) reduce-scatter with an application",
/// EuroPVM/MPI 2005.
class Butterfly : public Algorithm {
 public:
  std::string_view name() const override { return "butterfly"; }
  std::vector<CollectiveKind> kinds() const override { return both; }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 + log2_floor(call.ranks);
  }
  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const Fold fold(call.ranks, Survivor::odd);
    if (number == 0) {
      fold_in(all_bytes(call), call, fold, script);
    } else if (number <= fold.steps) {
      exchange(static_cast<int>(number) - 1, call, fold, script);
    } else {
      deliver(call, fold, script);
    }
  }

 private:
  /// Whether the first copy puts each block where it will be needed, which takes equal blocks.
  virtual bool is_permuted(const Call& call) const {
    return call.kind == CollectiveKind::reduce_scatter_block && is_power_of_two(call.ranks);
  }

  /// The first of the blocks that a rank still has before a step.
  static int first_kept(int own, int step, const Fold& fold) {
    int first = 0;
    for (int past = 0; past < step; ++past)
      if ((own >> past & 1) != 0) first += fold.size >> (past + 1);
    return first;
  }
  static int reversed(int number, const Fold& fold) { return first_kept(number, fold.steps, fold); }

  static void exchange(int step, const Call& call, const Fold& fold, Script& script) {
    const int own = fold.number(call.rank);
    if (own < 0) return;
    const int width = fold.size >> (step + 1);
    const int first = first_kept(own, step, fold);
    const bool keeps_second = (own >> step & 1) != 0;
    const int kept = first + (keeps_second ? width : 0);
    const int given = first + (keeps_second ? 0 : width);
    const std::int64_t received = folded_bytes(call, fold, kept, kept + width);
    script.exchange(fold.rank(own ^ (1 << step)), folded_bytes(call, fold, given, given + width), received);
    script.reduce(received);
  }

  void deliver(const Call& call, const Fold& fold, Script& script) const {
    const std::int64_t own_block = block_bytes(call, call.rank);
    if (is_permuted(call)) return script.copy(own_block);
    const int own = fold.number(call.rank);
    if (own < 0) return script.receive(fold.rank(reversed(call.rank / 2, fold)), own_block);
    // The rank has the block of this number, or of a folded pair both.
    const int number = reversed(own, fold);
    const int owner = fold.rank(number);
    if (number < fold.extra) script.send(owner - 1, block_bytes(call, owner - 1));
    if (number == own) return script.copy(own_block);
    script.exchange(owner, block_bytes(call, owner), own_block);
  }
};

/// The same of MPICH, for equal blocks of a power of two of ranks.
class NoncommutativeReduceScatter final : public Butterfly {
 public:
  std::string_view name() const override { return "noncommutative"; }
  Choice effective(const Call& call, Choice choice) const override {
    const bool are_equal = std::ranges::all_of(
        call.sizes, [&](std::int64_t size_bytes) { return size_bytes == call.sizes.front(); });
    if (!is_power_of_two(call.ranks) || !are_equal)
      choice.algorithm = &algorithm(call.kind, "recursive_doubling");
    return choice;
  }

 private:
  bool is_permuted(const Call& /*call*/) const override { return true; }
};

/// Blocks travel around the ring to their ranks and are combined on their way.
class RingReduceScatter final : public Algorithm {
 public:
  std::string_view name() const override { return "ring"; }
  std::vector<CollectiveKind> kinds() const override { return both; }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override { return call.ranks; }
  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const std::int64_t arrived = block_bytes(call, neighbor(call, -number - 1));
    const bool is_last = number + 1 == call.ranks;
    if (number == 0) script.copy(all_bytes(call));
    if (!is_last) script.start_receive(neighbor(call, -1), block_bytes(call, neighbor(call, -number - 2)));
    if (number > 0) {
      script.complete_from(is_last ? 1 : 2);
      script.reduce(arrived);
    }
    if (!is_last) return script.send(neighbor(call, 1), arrived);
    script.copy(arrived);
  }
};

/// Groups of 1, 2, 4, ... ranks exchange all blocks but those of their own group, and combine them.
class RecursiveDoublingReduceScatter final : public Algorithm {
 public:
  std::string_view name() const override { return "recursive_doubling"; }
  std::vector<CollectiveKind> kinds() const override { return both; }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 + log2_ceil(call.ranks);
  }
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    if (number == 0) return script.copy(all_bytes(call));
    if (number + 1 == rounds(call, choice)) return script.copy(block_bytes(call, call.rank));
    double_group(1 << (number - 1), call, script);
  }

 private:
  static std::int64_t without_group(const Call& call, int first, int width) {
    return blocks_bytes(call, 0, std::min(first, call.ranks)) +
           blocks_bytes(call, std::min(first + width, call.ranks), call.ranks);
  }

  static void double_group(int width, const Call& call, Script& script) {
    const int own = call.rank;
    const int other = own ^ width;
    const int own_group = own / width * width;
    const int other_group = other / width * width;
    const std::int64_t received = without_group(call, other_group, width);
    bool has_received = other < call.ranks;
    if (has_received) script.exchange(other, without_group(call, own_group, width), received);
    // Where the other group is not full, what it sent is passed on to those who have no partner there.
    if (other_group + width > call.ranks) {
      const int served = call.ranks - own_group - width;
      for (int half = width / 2; half > 0; half /= 2) {
        const int peer = own ^ half;
        const int first_unserved = own / (2 * half) * (2 * half) + served;
        if (peer > own && own < first_unserved && peer >= first_unserved) {
          script.send(peer, received);
        } else if (peer < own && peer < first_unserved && own >= first_unserved) {
          script.receive(peer, received);
          has_received = true;
        }
      }
    }
    if (has_received) script.reduce(received);
  }
};

}  // namespace

const Family& reduce_scatter_family() {
  static const RecursiveHalving recursive_halving;
  static const Butterfly butterfly;
  static const RingReduceScatter ring;
  static const RecursiveDoublingReduceScatter recursive_doubling;
  static const NoncommutativeReduceScatter noncommutative;
  static const Family family{{&recursive_halving, &butterfly, &ring, &recursive_doubling, &noncommutative}};
  return family;
}

}  // namespace finegrain::collectives
