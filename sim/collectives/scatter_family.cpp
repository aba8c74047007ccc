// SPDX-License-Identifier: MIT
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"
#include "sim/collectives/tree.hpp"

namespace finegrain::collectives {

const Family& scatter_family();

namespace {

/// The root sends to each rank: one after the other, or all at once. A scatterv sends no empty messages.
class LinearScatter final : public Algorithm {
 public:
  LinearScatter(std::string_view name, bool at_once) : name_(name), at_once_(at_once) {}

  std::string_view name() const override { return name_; }
  std::vector<CollectiveKind> kinds() const override {
    if (at_once_) return {CollectiveKind::scatter};
    return {CollectiveKind::scatter, CollectiveKind::scatterv};
  }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return rounds_of(call.ranks);
  }
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const auto is_sent = [&](std::int64_t bytes) {
      return bytes > 0 || call.kind == CollectiveKind::scatter;
    };
    if (call.rank != call.root) {
      if (number == 0 && is_sent(call.size_bytes)) script.receive(call.root, call.size_bytes);
      return;
    }
    for_each_item(number, call.ranks, [&](std::int64_t item) {
      const auto rank = static_cast<int>(item);
      const std::int64_t bytes = block_bytes(call, rank);
      if (rank == call.root) return script.copy(bytes);
      if (!is_sent(bytes)) return;
      if (at_once_) return script.start_send(rank, bytes);
      script.send(rank, bytes);
    });
    if (at_once_ && number + 1 == rounds(call, choice)) script.complete(call.ranks - 1);
  }

 private:
  std::string_view name_;
  bool at_once_;
};

/// Down a binomial tree, the largest subtree first; a rank gets the blocks of its subtree.
class BinomialScatter final : public Algorithm {
 public:
  std::string_view name() const override { return "binomial"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::scatter}; }
  std::int64_t rounds(const Call& /*call*/, const Choice& /*choice*/) const override { return 1; }
  void round(std::int64_t /*number*/, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const Tree tree = in_order_binomial_tree(call);
    const auto subtree_bytes = [&](int rank) {
      return in_order_subtree(call, from_root(call, rank)) * call.size_bytes;
    };
    if (tree.parent >= 0) {
      script.receive(tree.parent, subtree_bytes(call.rank));
      // A rank whose number is odd has no children: its block arrives where it belongs.
      if (from_root(call, call.rank) % 2 == 0) script.copy(call.size_bytes);
    } else {
      if (call.root != 0) script.copy(call.ranks * call.size_bytes);
      script.copy(call.size_bytes);
    }
    for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child)
      script.send(*child, subtree_bytes(*child));
  }
};

}  // namespace

const Family& scatter_family() {
  static const LinearScatter linear("linear", false);
  static const LinearScatter at_once("linear_nonblocking", true);
  static const BinomialScatter binomial;
  static const Family family{{&linear, &at_once, &binomial}};
  return family;
}

}  // namespace finegrain::collectives
