// SPDX-License-Identifier: MIT
#include "sim/collectives/folded.hpp"
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& recursive_doubling_allreduce_family();

namespace {

/// Ranks exchange the whole vector with a partner at distance 1, 2, 4, ...
/// Source: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005.
class RecursiveDoublingAllreduce final : public Algorithm {
 public:
  std::string_view name() const override { return "recursive_doubling"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::allreduce}; }

  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 + log2_floor(call.ranks);
  }

  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const Fold fold(call.ranks, Survivor::odd);
    const int own = fold.number(call.rank);
    if (number == 0) {
      fold_in(call.size_bytes, call, fold, script);
    } else if (number <= fold.steps) {
      if (own < 0) return;
      const int peer = fold.rank(own ^ (1 << (number - 1)));
      script.exchange(peer, call.size_bytes, call.size_bytes);
      script.reduce(call.size_bytes);
    } else {
      unfold(call, fold, script);
    }
  }
};

}  // namespace

const Family& recursive_doubling_allreduce_family() {
  static const RecursiveDoublingAllreduce recursive_doubling;
  static const Family family{{&recursive_doubling}};
  return family;
}

}  // namespace finegrain::collectives
