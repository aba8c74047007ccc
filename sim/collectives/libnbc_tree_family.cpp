// SPDX-License-Identifier: MIT
#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"
#include "sim/collectives/tree.hpp"

namespace finegrain::collectives {

const Family& libnbc_tree_family();

namespace {

// Open MPI's collectives that do not block (coll/libnbc) are schedules: what is begun in one round is
// complete before the next one. Source: T. Hoefler, A. Lumsdaine, W. Rehm, "Implementation and performance
// analysis of non-blocking collective operations for MPI", SC 2007.

/// Ranks' numbers: the root and rank 0 change places. The same function leads back.
int swapped(const Call& call, int number) {
  if (number == 0) return call.root;
  return number == call.root ? 0 : number;
}

/// The call of a rank that has its own number as rank, and 0 as root.
Call renumbered(Call call) {
  call.rank = swapped(call, call.rank);
  call.root = 0;
  return call;
}

Tree swapped(const Call& call, Tree tree) {
  if (tree.parent >= 0) tree.parent = swapped(call, tree.parent);
  for (int& child : tree.children)
    child = swapped(call, child);
  return tree;
}

void broadcast(const Call& call, Script& script) {
  const Tree tree = swapped(call, binomial_tree(renumbered(call)));
  if (tree.parent >= 0) script.receive(tree.parent, call.size_bytes);
  for (const int child : tree.children)
    script.start_send(child, call.size_bytes);
  script.complete(static_cast<std::int64_t>(tree.children.size()));
}

void reduce(const Call& call, Script& script) {
  const Tree tree = swapped(call, in_order_binomial_tree(renumbered(call)));
  for (const int child : tree.children) {
    script.receive(child, call.size_bytes);
    script.reduce(call.size_bytes);
  }
  if (tree.parent >= 0) script.send(tree.parent, call.size_bytes);
}

class Binomial final : public Algorithm {
 public:
  std::string_view name() const override { return "libnbc_binomial"; }
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::broadcast, CollectiveKind::reduce, CollectiveKind::allreduce,
            CollectiveKind::reduce_scatter, CollectiveKind::reduce_scatter_block};
  }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return is_reduce_scatter(call) ? 2 + rounds_of(call.ranks) : 2;
  }
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    // The ranks' data is combined in their order, if it has to be.
    Call from_first = call;
    from_first.root = 0;
    switch (call.kind) {
      case CollectiveKind::broadcast:
        if (number == 0) broadcast(call, script);
        break;
      case CollectiveKind::reduce:
        if (number == 0) return reduce(call.commutative ? call : from_first, script);
        if (!call.commutative) move_to_root(call, script);
        break;
      case CollectiveKind::allreduce:
        if (number == 0) return reduce(from_first, script);
        broadcast(from_first, script);
        break;
      default:
        if (number == 0) {
          from_first.size_bytes = blocks_bytes(call, 0, call.ranks);
          reduce(from_first, script);
        } else {
          scatter(number - 1, call, number + 1 == rounds(call, choice), script);
        }
    }
  }

 private:
  static bool is_reduce_scatter(const Call& call) {
    return call.kind == CollectiveKind::reduce_scatter || call.kind == CollectiveKind::reduce_scatter_block;
  }

  static void move_to_root(const Call& call, Script& script) {
    if (call.root == 0) return;
    if (call.rank == 0) script.send(call.root, call.size_bytes);
    if (call.rank == call.root) script.receive(0, call.size_bytes);
  }

  static void scatter(std::int64_t slice, const Call& call, bool is_last, Script& script) {
    if (call.rank != 0) {
      if (slice == 0) script.receive(0, block_bytes(call, call.rank));
      return;
    }
    if (is_last) {
      script.copy(block_bytes(call, 0));
      return script.complete(call.ranks - 1);
    }
    for_each_item(slice, call.ranks, [&](std::int64_t rank) {
      if (rank > 0) script.start_send(static_cast<int>(rank), block_bytes(call, static_cast<int>(rank)));
    });
  }
};

/// A vector cut into equal numbers of elements; the last fragment also has the rest.
class Fragments {
 public:
  Fragments(const Call& call, std::int64_t fragment_bytes)
      : elements_(elements(call)),
        element_bytes_(call.element_bytes),
        count_(fragment_bytes > 0 ? (call.size_bytes + fragment_bytes - 1) / fragment_bytes : 1) {}
  std::int64_t count() const { return count_; }
  std::int64_t operator[](std::int64_t fragment) const {
    const std::int64_t each = elements_ / count_;
    return (fragment + 1 < count_ ? each : elements_ - each * (count_ - 1)) * element_bytes_;
  }

 private:
  std::int64_t elements_, element_bytes_, count_;
};

class Chain final : public Algorithm {
 public:
  std::string_view name() const override { return "libnbc_chain"; }
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::broadcast, CollectiveKind::reduce};
  }
  std::int64_t rounds(const Call& call, const Choice& choice) const override {
    return Fragments(call, choice.segment_bytes).count();
  }
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const Fragments fragments(call, choice.segment_bytes);
    const int own = swapped(call, call.rank);
    const int before = own > 0 ? swapped(call, own - 1) : -1;
    const int after = own + 1 < call.ranks ? swapped(call, own + 1) : -1;
    const std::int64_t bytes = fragments[number];
    if (call.kind == CollectiveKind::reduce) {
      if (after >= 0) {
        script.receive(after, bytes);
        script.reduce(bytes);
      }
      if (before >= 0) script.send(before, bytes);
      return;
    }
    if (before >= 0) {
      script.start_receive(before, bytes);
      // The fragment before is sent while this one is received.
      script.complete(number > 0 && after >= 0 ? 2 : 1);
    }
    if (after >= 0) {
      script.start_send(after, bytes);
      if (before < 0 || number + 1 == fragments.count()) script.complete();
    }
  }
};

}  // namespace

const Family& libnbc_tree_family() {
  static const Binomial binomial;
  static const Chain chain;
  static const Family family{{&binomial, &chain}};
  return family;
}

}  // namespace finegrain::collectives
