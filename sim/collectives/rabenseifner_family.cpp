// SPDX-License-Identifier: MIT
#include "sim/collectives/folded.hpp"
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& rabenseifner_family();

namespace {

/// What a rank keeps and gives away in one step of the halving.
struct Halves {
  std::int64_t kept_bytes = 0;
  std::int64_t given_bytes = 0;
};

/// How a library cuts the vector, and folds in the ranks beyond a power of two.
class Cutting {
 public:
  virtual ~Cutting() = default;
  /// @param number  the rank's among those that take part. @param step  0, 1, ...
  virtual Halves halves(const Call& call, const Fold& fold, int number, int step) const = 0;
  virtual void fold_in(const Call& call, const Fold& fold, Script& script) const = 0;
};

/// Open MPI's (coll/base, redscat_allgather): what is left is halved, and pairs are folded by halves.
class LeftInHalves final : public Cutting {
 public:
  Halves halves(const Call& call, const Fold& fold, int number, int step) const override {
    std::int64_t kept = elements(call);
    std::int64_t given = 0;
    for (int past = 0; past <= step; ++past) {
      const std::int64_t whole = kept;
      // The lower rank keeps the smaller half, if they are not equal.
      const bool is_lower = fold.rank(number) < fold.rank(number ^ (1 << past));
      kept = is_lower ? whole / 2 : whole - whole / 2;
      given = whole - kept;
    }
    return {kept * call.element_bytes, given * call.element_bytes};
  }

  /// Each of a pair combines one half for both, then the odd rank gives its half to the even one.
  void fold_in(const Call& call, const Fold& fold, Script& script) const override {
    script.copy(call.size_bytes);
    if (!fold.is_folded(call.rank)) return;
    const int partner = fold.partner(call.rank);
    const std::int64_t left = elements(call) / 2 * call.element_bytes;
    const std::int64_t right = elements(call) * call.element_bytes - left;
    if (fold.number(call.rank) < 0) {
      script.exchange(partner, left, right);
      script.reduce(right);
      script.send(partner, right);
    } else {
      script.exchange(partner, right, left);
      script.reduce(left);
      script.receive(partner, right);
    }
  }
};

/// MPICH's: the vector is cut into even blocks, and of a pair one gives its whole vector to the other.
/// Source: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005.
class InEvenBlocks final : public Cutting {
 public:
  Halves halves(const Call& call, const Fold& fold, int number, int step) const override {
    int first = 0;
    for (int past = 0; past < step; ++past)
      if ((number >> past & 1) != 0) first += fold.size >> (past + 1);
    const int width = fold.size >> (step + 1);
    const bool keeps_second = (number >> step & 1) != 0;
    const std::int64_t first_half = blocks(call, fold, first, first + width);
    const std::int64_t second_half = blocks(call, fold, first + width, first + 2 * width);
    return keeps_second ? Halves{second_half, first_half} : Halves{first_half, second_half};
  }

  void fold_in(const Call& call, const Fold& fold, Script& script) const override {
    collectives::fold_in(call.size_bytes, call, fold, script);
  }

 private:
  static std::int64_t blocks(const Call& call, const Fold& fold, int first, int end) {
    const EvenBlocks even(elements(call), fold.size);
    std::int64_t sum = 0;
    for (int block = first; block < end; ++block)
      sum += even[block];
    return sum * call.element_bytes;
  }
};

/// Algorithms of a library's that are taken where Rabenseifner's cannot be.
struct Instead {
  std::string_view blocking;
  std::string_view nonblocking;
};

/// Recursive halving scatters the reduced vector; recursive doubling gathers it.
/// Source: R. Rabenseifner, "Optimization of collective reduction operations", ICCS 2004.
class Rabenseifner : public Algorithm {
 public:
  Rabenseifner(std::string_view name, const Cutting& cutting, Survivor survivor, Instead instead)
      : name_(name), cutting_(cutting), survivor_(survivor), instead_(instead) {}

  std::string_view name() const override { return name_; }

  /// Each rank that takes part needs an element; halves are not combined in the order of the ranks.
  Choice effective(const Call& call, Choice choice) const override {
    if (elements(call) < fold(call).size || !call.commutative)
      choice.algorithm = &algorithm(call.kind, call.blocking ? instead_.blocking : instead_.nonblocking);
    return choice;
  }

 protected:
  Fold fold(const Call& call) const { return {call.ranks, survivor_}; }
  Halves halves(const Call& call, int number, int step) const {
    return cutting_.halves(call, fold(call), number, step);
  }
  void fold_in(const Call& call, Script& script) const { cutting_.fold_in(call, fold(call), script); }

  void halve(int step, const Call& call, Script& script) const {
    const Fold folded = fold(call);
    const int number = folded.number(call.rank);
    if (number < 0) return;
    const Halves of = halves(call, number, step);
    script.exchange(folded.rank(number ^ (1 << step)), of.given_bytes, of.kept_bytes);
    script.reduce(of.kept_bytes);
  }

 private:
  std::string_view name_;
  const Cutting& cutting_;
  Survivor survivor_;
  Instead instead_;
};

class RabenseifnerAllreduce final : public Rabenseifner {
 public:
  using Rabenseifner::Rabenseifner;

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
      unfold(call, fold(call), script);
    }
  }

 private:
  void gather(int step, const Call& call, Script& script) const {
    const Fold folded = fold(call);
    const int number = folded.number(call.rank);
    if (number < 0) return;
    const Halves of = halves(call, number, step);
    script.exchange(folded.rank(number ^ (1 << step)), of.kept_bytes, of.given_bytes);
  }
};

/// The parts go to the root along a binomial tree.
class RabenseifnerReduce final : public Rabenseifner {
 public:
  using Rabenseifner::Rabenseifner;

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
  void gather_at_root(const Call& call, Script& script) const {
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
  static const LeftInHalves open_mpi;
  static const InEvenBlocks mpich;
  static const RabenseifnerAllreduce allreduce("rabenseifner", open_mpi, Survivor::even,
                                               {"linear", "libnbc_ring"});
  static const RabenseifnerReduce reduce("rabenseifner", open_mpi, Survivor::even,
                                         {"linear", "libnbc_binomial"});
  static const RabenseifnerAllreduce mpich_allreduce("reduce_scatter_allgather", mpich, Survivor::odd,
                                                     {"recursive_doubling", "recursive_doubling"});
  static const RabenseifnerReduce mpich_reduce("reduce_scatter_gather", mpich, Survivor::even,
                                               {"mpich_binomial", "mpich_binomial"});
  static const Family family{{&allreduce, &reduce, &mpich_allreduce, &mpich_reduce}};
  return family;
}

}  // namespace finegrain::collectives
