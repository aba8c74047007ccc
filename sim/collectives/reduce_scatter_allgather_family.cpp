// SPDX-License-Identifier: MIT
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& reduce_scatter_allgather_family();

namespace {

/// Rabenseifner's algorithm as MPICH does it: the vector is cut into even blocks, and of a folded pair of
/// ranks one gives its whole vector to the other.
/// Source: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005.
class ReduceScatterFirst : public Algorithm {
 public:
  explicit ReduceScatterFirst(Survivor survivor) : survivor_(survivor) {}

 protected:
  Fold fold(const Call& call) const { return {call.ranks, survivor_}; }

  /// Bytes of what the partners in a step keep and give away, seen by one of them.
  struct Halves {
    std::int64_t kept_bytes = 0;
    std::int64_t given_bytes = 0;
  };
  /// @param number  the rank's among those that take part. @param step  0, 1, ...
  static Halves halves(const Call& call, const Fold& fold, int number, int step) {
    int first = 0;
    for (int past = 0; past < step; ++past)
      if ((number >> past & 1) != 0) first += fold.size >> (past + 1);
    const int width = fold.size >> (step + 1);
    const bool keeps_second = (number >> step & 1) != 0;
    const std::int64_t first_half = blocks(call, fold, first, first + width);
    const std::int64_t second_half = blocks(call, fold, first + width, first + 2 * width);
    return keeps_second ? Halves{second_half, first_half} : Halves{first_half, second_half};
  }

  void fold_in(const Call& call, Script& script) const {
    script.copy(call.size_bytes);
    const Fold folded = fold(call);
    if (!folded.is_folded(call.rank)) return;
    const int partner = folded.partner(call.rank);
    if (folded.number(call.rank) < 0) return script.send(partner, call.size_bytes);
    script.receive(partner, call.size_bytes);
    script.reduce(call.size_bytes);
  }

  void halve(int step, const Call& call, Script& script) const {
    const Fold folded = fold(call);
    const int number = folded.number(call.rank);
    if (number < 0) return;
    const Halves of = halves(call, folded, number, step);
    script.exchange(folded.rank(number ^ (1 << step)), of.given_bytes, of.kept_bytes);
    script.reduce(of.kept_bytes);
  }

 private:
  static std::int64_t blocks(const Call& call, const Fold& fold, int first, int end) {
    const EvenBlocks even(elements(call), fold.size);
    std::int64_t sum = 0;
    for (int block = first; block < end; ++block)
      sum += even[block];
    return sum * call.element_bytes;
  }

  Survivor survivor_;
};

class ReduceScatterAllgather final : public ReduceScatterFirst {
 public:
  ReduceScatterAllgather() : ReduceScatterFirst(Survivor::odd) {}
  std::string_view name() const override { return "reduce_scatter_allgather"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::allreduce}; }
  /// Each rank that takes part needs an element.
  Choice effective(const Call& call, Choice choice) const override {
    if (elements(call) < fold(call).size || !call.commutative)
      choice.algorithm = &algorithm(call.kind, "recursive_doubling");
    return choice;
  }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 + 2 * fold(call).steps;
  }
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const Fold folded = fold(call);
    const int own = folded.number(call.rank);
    const auto step = static_cast<int>(number) - 1;
    if (number == 0) {
      fold_in(call, script);
    } else if (step < folded.steps) {
      halve(step, call, script);
    } else if (number + 1 < rounds(call, choice)) {
      const int back = 2 * folded.steps - 1 - step;
      if (own < 0) return;
      const Halves of = halves(call, folded, own, back);
      script.exchange(folded.rank(own ^ (1 << back)), of.kept_bytes, of.given_bytes);
    } else if (folded.is_folded(call.rank)) {
      if (own < 0) return script.receive(folded.partner(call.rank), call.size_bytes);
      script.send(folded.partner(call.rank), call.size_bytes);
    }
  }
};

class ReduceScatterGather final : public ReduceScatterFirst {
 public:
  ReduceScatterGather() : ReduceScatterFirst(Survivor::even) {}
  std::string_view name() const override { return "reduce_scatter_gather"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::reduce}; }
  Choice effective(const Call& call, Choice choice) const override {
    if (elements(call) < fold(call).size || !call.commutative)
      choice.algorithm = &algorithm(call.kind, "mpich_binomial");
    return choice;
  }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 + fold(call).steps;
  }
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    if (number == 0) {
      fold_in(call, script);
    } else if (number + 1 < rounds(call, choice)) {
      halve(static_cast<int>(number) - 1, call, script);
    } else {
      gather_at_root(call, script);
    }
  }

 private:
  void gather_at_root(const Call& call, Script& script) const {
    const Fold folded = fold(call);
    int number = folded.number(call.rank);
    int root_number = folded.number(call.root);
    // A root that was folded away takes the place of the first rank.
    const bool takes_place = root_number < 0;
    if (takes_place) {
      root_number = 0;
      const std::int64_t part = halves(call, folded, 0, folded.steps - 1).kept_bytes;
      if (call.rank == call.root) {
        script.receive(folded.rank(0), part);
        number = 0;
      } else if (number == 0) {
        return script.send(call.root, part);
      }
    }
    if (number < 0) return;
    for (int step = folded.steps - 1; step >= 0; --step) {
      const int peer_number = number ^ (1 << step);
      const int peer = peer_number == 0 && takes_place ? call.root : folded.rank(peer_number);
      const Halves of = halves(call, folded, number, step);
      if (peer_number >> step == root_number >> step) return script.send(peer, of.kept_bytes);
      script.receive(peer, of.given_bytes);
    }
  }
};

}  // namespace

const Family& reduce_scatter_allgather_family() {
  static const ReduceScatterAllgather allreduce;
  static const ReduceScatterGather reduce;
  static const Family family{{&allreduce, &reduce}};
  return family;
}

}  // namespace finegrain::collectives
