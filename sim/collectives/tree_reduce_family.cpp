// SPDX-License-Identifier: MIT
#include "sim/collectives/script.hpp"
#include "sim/collectives/segments.hpp"
#include "sim/collectives/tree.hpp"

namespace finegrain::collectives {

const Family& tree_reduce_family();

namespace {

using MakeTree = Tree (*)(const Call& call, const Choice& choice);

/// Open MPI's reduction along any tree (coll/base, reduce_generic): a segment of one child is awaited while
/// that of the child before is combined.
class TreeReduce : public Algorithm {
 public:
  TreeReduce(std::string_view name, MakeTree tree) : name_(name), tree_(tree) {}

  std::string_view name() const override { return name_; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::reduce}; }

  std::int64_t rounds(const Call& call, const Choice& choice) const override {
    return Segments(call, choice.segment_bytes).count() + 1;
  }

  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    const Segments segments(call, choice.segment_bytes);
    const Tree tree = tree_(call, choice);
    const bool is_after_last = number == segments.count();
    Script script(call.rank, out);
    if (tree.children.empty()) {
      if (!is_after_last) script.send(tree.parent, segments[number]);
      return;
    }
    if (number == 0 && !call.commutative) script.copy(call.size_bytes);
    for (std::size_t child = 0; child < tree.children.size(); ++child) {
      if (!is_after_last) script.start_receive(tree.children[child], segments[number]);
      if (child == 0 && number == 0) continue;
      // The receive from the child before; from the last one, if this is the first one of the next segment.
      script.complete_from(is_after_last ? 1 : 2);
      script.reduce(segments[child == 0 ? number - 1 : number]);
      if (child > 0) continue;
      if (tree.parent >= 0) script.send(tree.parent, segments[number - 1]);
      if (is_after_last) break;
    }
  }

 private:
  std::string_view name_;
  MakeTree tree_;
};

/// Along a tree whose root is the last rank, which then sends to the root of the call.
class InOrderBinaryReduce final : public TreeReduce {
 public:
  InOrderBinaryReduce()
      : TreeReduce("in_order_binary",
                   [](const Call& call, const Choice&) { return in_order_binary_tree(call); }) {}

  std::int64_t rounds(const Call& call, const Choice& choice) const override {
    return TreeReduce::rounds(call, choice) + 1;
  }

  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    if (number + 1 < rounds(call, choice)) return TreeReduce::round(number, call, choice, out);
    const int last = call.ranks - 1;
    if (call.root == last) return;
    Script script(call.rank, out);
    if (call.rank == last) script.send(call.root, call.size_bytes);
    if (call.rank == call.root) script.receive(last, call.size_bytes);
  }
};

}  // namespace

const Family& tree_reduce_family() {
  static const TreeReduce chain(
      "chain", [](const Call& call, const Choice& choice) { return chains(call, choice.fan); });
  static const TreeReduce pipeline("pipeline",
                                   [](const Call& call, const Choice&) { return chains(call, 1); });
  static const TreeReduce binary("binary", [](const Call& call, const Choice&) { return binary_tree(call); });
  static const TreeReduce binomial(
      "binomial", [](const Call& call, const Choice&) { return in_order_binomial_tree(call); });
  static const InOrderBinaryReduce in_order_binary;
  static const Family family{{&chain, &pipeline, &binary, &binomial, &in_order_binary}};
  return family;
}

}  // namespace finegrain::collectives
