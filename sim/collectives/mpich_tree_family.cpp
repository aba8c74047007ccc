// SPDX-License-Identifier: MIT
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"
#include "sim/collectives/tree.hpp"

namespace finegrain::collectives {

const Family& mpich_tree_family();

namespace {

/// MPICH's trees: whole vectors, one message after the other.
class MpichBinomial : public Algorithm {
 public:
  std::string_view name() const override { return "mpich_binomial"; }
  std::int64_t rounds(const Call& /*call*/, const Choice& /*choice*/) const override { return 1; }
};

class MpichBroadcast final : public MpichBinomial {
 public:
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::broadcast}; }
  void round(std::int64_t /*number*/, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const Tree tree = in_order_binomial_tree(call);
    if (tree.parent >= 0) script.receive(tree.parent, call.size_bytes);
    for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child)
      script.send(*child, call.size_bytes);
  }
};

/// An operation that does not commute is carried out along a tree whose root is rank 0.
class MpichReduce final : public MpichBinomial {
 public:
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::reduce}; }
  void round(std::int64_t /*number*/, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    Call along = call;
    if (!call.commutative) along.root = 0;
    const Tree tree = in_order_binomial_tree(along);
    script.copy(call.size_bytes);
    for (const int child : tree.children) {
      script.receive(child, call.size_bytes);
      script.reduce(call.size_bytes);
      if (!call.commutative) script.copy(call.size_bytes);
    }
    if (tree.parent >= 0) script.send(tree.parent, call.size_bytes);
    if (along.root == call.root) return;
    if (call.rank == along.root) script.send(call.root, call.size_bytes);
    if (call.rank == call.root) script.receive(along.root, call.size_bytes);
  }
};

}  // namespace

const Family& mpich_tree_family() {
  static const MpichBroadcast broadcast;
  static const MpichReduce reduce;
  static const Family family{{&broadcast, &reduce}};
  return family;
}

}  // namespace finegrain::collectives
