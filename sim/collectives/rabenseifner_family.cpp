// SPDX-License-Identifier: MIT
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& rabenseifner_family();

namespace {

/// Recursive halving scatters the reduced vector; recursive doubling gathers it.
/// Source: R. Rabenseifner, "Optimization of collective reduction operations", ICCS 2004.
/// Ranks beyond a power of two are folded in by halves, as Open MPI does (coll/base, redscat_allgather).
class Rabenseifner : public Algorithm {
 public:
  std::string_view name() const override { return "rabenseifner"; }

  /// Each rank that takes part needs an element; halves are not combined in the order of the ranks.
  Choice effective(const Call& call, Choice choice) const override {
    if (elements(call) < fold(call).size || !call.commutative)
      choice.algorithm = &algorithm(call.kind, call.blocking ? "linear" : instead_nonblocking());
    return choice;
  }

 protected:
  /// What coll/libnbc of Open MPI takes instead.
  virtual std::string_view instead_nonblocking() const = 0;

  static Fold fold(const Call& call) { return {call.ranks, Survivor::even}; }

  /// What a rank keeps and gives away in one step of the halving.
  struct Halves {
    std::int64_t kept_bytes = 0;
    std::int64_t given_bytes = 0;
  };
  /// @param number  the rank's among those that take part. @param step  0, 1, ...
  static Halves halves(const Call& call, int number, int step) {
    const Fold folded = fold(call);
    std::int64_t kept = elements(call);
    std::int64_t given = 0;
    for (int past = 0; past <= step; ++past) {
      const std::int64_t whole = kept;
      // The lower rank keeps the smaller half, if they are not equal.
      const bool is_lower = folded.rank(number) < folded.rank(number ^ (1 << past));
      kept = is_lower ? whole / 2 : whole - whole / 2;
      given = whole - kept;
    }
    return {kept * call.element_bytes, given * call.element_bytes};
  }

  /// Each of a pair combines one half for both, then the odd rank gives its half to the even one.
  static void fold_in(const Call& call, Script& script) {
    script.copy(call.size_bytes);
    const Fold folded = fold(call);
    if (!folded.is_folded(call.rank)) return;
    const int partner = folded.partner(call.rank);
    const std::int64_t left = elements(call) / 2 * call.element_bytes;
    const std::int64_t right = elements(call) * call.element_bytes - left;
    if (folded.number(call.rank) < 0) {
      script.exchange(partner, left, right);
      script.reduce(right);
      script.send(partner, right);
    } else {
      script.exchange(partner, right, left);
      script.reduce(left);
      script.receive(partner, right);
    }
  }

  static void halve(int step, const Call& call, Script& script) {
    const Fold folded = fold(call);
    const int number = folded.number(call.rank);
    if (number < 0) return;
    const Halves of = halves(call, number, step);
    script.exchange(folded.rank(number ^ (1 << step)), of.given_bytes, of.kept_bytes);
    script.reduce(of.kept_bytes);
  }
};

class RabenseifnerAllreduce final : public Rabenseifner {
 protected:
  std::string_view instead_nonblocking() const override { return "libnbc_ring"; }

 public:
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::allreduce}; }

  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 + 2 * fold(call).steps;
  }

  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const int steps = fold(call).steps;
    const auto step = static_cast<int>(number) - 1;
    if (number == 0) {
      fold_in(call, script);
    } else if (step < steps) {
      halve(step, call, script);
    } else if (number + 1 < rounds(call, choice)) {
      gather(2 * steps - 1 - step, call, script);
    } else {
      unfold(call, script);
    }
  }

 private:
  static void gather(int step, const Call& call, Script& script) {
    const Fold folded = fold(call);
    const int number = folded.number(call.rank);
    if (number < 0) return;
    const Halves of = halves(call, number, step);
    script.exchange(folded.rank(number ^ (1 << step)), of.kept_bytes, of.given_bytes);
  }

  static void unfold(const Call& call, Script& script) {
    const Fold folded = fold(call);
    if (!folded.is_folded(call.rank)) return;
    if (folded.number(call.rank) < 0) {
      script.receive(folded.partner(call.rank), call.size_bytes);
    } else {
      script.send(folded.partner(call.rank), call.size_bytes);
    }
  }
};

/// The parts go to the root along a binomial tree.
class RabenseifnerReduce final : public Rabenseifner {
 protected:
  std::string_view instead_nonblocking() const override { return "libnbc_binomial"; }

 public:
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::reduce}; }

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
  static void gather_at_root(const Call& call, Script& script) {
    const Fold folded = fold(call);
    int number = folded.number(call.rank);
    int root_number = folded.number(call.root);
    // A root that was folded away takes the place of the first rank.
    const bool takes_place = root_number < 0;
    if (takes_place) {
      root_number = 0;
      const std::int64_t part = halves(call, 0, folded.steps - 1).kept_bytes;
      if (call.rank == call.root) {
        script.receive(folded.rank(0), part);
        number = 0;
      } else if (number == 0) {
        script.send(call.root, part);
        return;
      }
    }
    if (number < 0) return;
    for (int step = folded.steps - 1; step >= 0; --step) {
      const int peer_number = number ^ (1 << step);
      const int peer = peer_number == 0 && takes_place ? call.root : folded.rank(peer_number);
      const Halves of = halves(call, number, step);
      if (peer_number >> step == root_number >> step) return script.send(peer, of.kept_bytes);
      script.receive(peer, of.given_bytes);
    }
  }
};

}  // namespace

const Family& rabenseifner_family() {
  static const RabenseifnerAllreduce allreduce;
  static const RabenseifnerReduce reduce;
  static const Family family{{&allreduce, &reduce}};
  return family;
}

}  // namespace finegrain::collectives
