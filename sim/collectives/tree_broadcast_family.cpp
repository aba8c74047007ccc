// SPDX-License-Identifier: MIT
#include "sim/collectives/script.hpp"
#include "sim/collectives/segments.hpp"
#include "sim/collectives/tree.hpp"

namespace finegrain::collectives {

const Family& tree_broadcast_family();

namespace {

using MakeTree = Tree (*)(const Call& call, const Choice& choice);

/// Open MPI's broadcast along any tree (coll/base, bcast_intra_generic): while a segment is passed on, the
/// next one is awaited already.
class TreeBroadcast : public Algorithm {
 public:
  TreeBroadcast(std::string_view name, MakeTree tree) : name_(name), tree_(tree) {}

  std::string_view name() const override { return name_; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::broadcast}; }

  std::int64_t rounds(const Call& call, const Choice& choice) const override {
    return Segments(call, choice.segment_bytes).count();
  }

  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    const Segments segments(call, choice.segment_bytes);
    const Tree tree = tree_(call, choice);
    const auto children = static_cast<std::int64_t>(tree.children.size());
    Script script(call.rank, out);
    if (tree.parent >= 0) {
      if (number == 0) script.start_receive(tree.parent, segments[0]);
      const bool is_last = number + 1 == segments.count();
      if (!is_last) script.start_receive(tree.parent, segments[number + 1]);
      // Younger than the receive of this segment: the sends of the one before, the receive of the next.
      script.complete_from(1 + (number > 0 ? children : 0) + (is_last ? 0 : 1));
    }
    for (const int child : tree.children)
      script.start_send(child, segments[number]);
    script.complete(children);
  }

 private:
  std::string_view name_;
  MakeTree tree_;
};

}  // namespace

const Family& tree_broadcast_family() {
  static const TreeBroadcast chain(
      "chain", [](const Call& call, const Choice& choice) { return chains(call, choice.fan); });
  static const TreeBroadcast pipeline("pipeline",
                                      [](const Call& call, const Choice&) { return chains(call, 1); });
  static const TreeBroadcast binary("binary",
                                    [](const Call& call, const Choice&) { return binary_tree(call); });
  static const TreeBroadcast binomial("binomial",
                                      [](const Call& call, const Choice&) { return binomial_tree(call); });
  static const TreeBroadcast knomial("knomial", [](const Call& call, const Choice& choice) {
    return knomial_tree(call, std::max(choice.fan, 2));
  });
  static const Family family{{&chain, &pipeline, &binary, &binomial, &knomial}};
  return family;
}

}  // namespace finegrain::collectives
