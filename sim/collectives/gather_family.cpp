// SPDX-License-Identifier: MIT
#include "sim/collectives/script.hpp"
#include "sim/collectives/segments.hpp"
#include "sim/collectives/tree.hpp"

namespace finegrain::collectives {

const Family& gather_family();

namespace {

/// The root receives from each rank, one after the other. A gatherv sends no empty messages.
class LinearGather final : public Algorithm {
 public:
  std::string_view name() const override { return "linear"; }
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::gather, CollectiveKind::gatherv};
  }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return rounds_of(call.ranks);
  }
  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const auto is_sent = [&](std::int64_t bytes) { return bytes > 0 || call.kind == CollectiveKind::gather; };
    if (call.rank != call.root) {
      if (number == 0 && is_sent(call.size_bytes)) script.send(call.root, call.size_bytes);
      return;
    }
    for_each_item(number, call.ranks, [&](std::int64_t item) {
      const auto rank = static_cast<int>(item);
      const std::int64_t bytes = block_bytes(call, rank);
      if (rank == call.root) {
        script.copy(bytes);
      } else if (is_sent(bytes)) {
        script.receive(rank, bytes);
      }
    });
  }
};

/// Up a binomial tree; a rank passes on the blocks of its subtree.
class BinomialGather final : public Algorithm {
 public:
  std::string_view name() const override { return "binomial"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::gather}; }
  std::int64_t rounds(const Call& /*call*/, const Choice& /*choice*/) const override { return 1; }
  void round(std::int64_t /*number*/, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const Tree tree = in_order_binomial_tree(call);
    const auto subtree_bytes = [&](int rank) {
      return in_order_subtree(call, from_root(call, rank)) * call.size_bytes;
    };
    if (!tree.children.empty() || tree.parent < 0) script.copy(call.size_bytes);
    for (const int child : tree.children)
      script.receive(child, subtree_bytes(child));
    if (tree.parent >= 0) return script.send(tree.parent, subtree_bytes(call.rank));
    // The root's buffer begins with the root's block.
    if (call.root != 0) script.copy(call.ranks * call.size_bytes);
  }
};

/// The root asks each rank for its block with an empty message, and gets it in two segments, the second of
/// which it awaits together with those of all others.
class LinearSyncGather final : public Algorithm {
 public:
  std::string_view name() const override { return "linear_sync"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::gather}; }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return 2 * rounds_of(call.ranks);
  }
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const std::int64_t first = Segments(call, choice.segment_bytes)[0];
    const std::int64_t second = call.size_bytes - first;
    if (call.rank != call.root) {
      if (number > 0) return;
      script.receive(call.root, 0);
      script.send(call.root, first);
      return script.send(call.root, second);
    }
    const std::int64_t half = rounds(call, choice) / 2;
    if (number == half) script.copy(call.size_bytes);
    // A rank's two requests follow each other; the first of them is complete before the next rank is asked.
    const std::int64_t age = 2 * (call.ranks - 1);
    for_each_item(number % half, call.ranks, [&](std::int64_t rank) {
      if (rank == call.root) return;
      const auto peer = static_cast<int>(rank);
      if (number >= half) {
        const std::int64_t place = rank - (rank > call.root ? 1 : 0);
        return script.complete_from(age - 2 * place - 1);
      }
      script.start_receive(peer, first);
      script.send(peer, 0);
      script.start_receive(peer, second);
      script.complete_from(2);
    });
  }
};

}  // namespace

const Family& gather_family() {
  static const LinearGather linear;
  static const BinomialGather binomial;
  static const LinearSyncGather linear_sync;
  static const Family family{{&linear, &binomial, &linear_sync}};
  return family;
}

}  // namespace finegrain::collectives
