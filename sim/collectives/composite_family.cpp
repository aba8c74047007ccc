// SPDX-License-Identifier: MIT
#include "sim/collectives/composite.hpp"
#include "sim/collectives/layout.hpp"

namespace finegrain::collectives {

const Family& composite_family();

namespace {

/// Rank 0 reduces as a linear reduce does, and sends the result to all others.
class LinearAllreduce final : public Composite {
 public:
  std::string_view name() const override { return "linear"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::allreduce}; }

 protected:
  std::vector<Part> parts(const Call& call, const Choice& choice) const override {
    std::vector<Part> both;
    for (const CollectiveKind kind : {CollectiveKind::reduce, CollectiveKind::broadcast})
      both.push_back(
          {part_of(call, kind, call.size_bytes), {&algorithm(kind, "linear"), 0, 0, choice.decisions}});
    return both;
  }
};

/// A reduce to rank 0, then a broadcast, each as the library decides.
class ReduceBroadcast final : public Composite {
 public:
  std::string_view name() const override { return "nonoverlapping"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::allreduce}; }

 protected:
  std::vector<Part> parts(const Call& call, const Choice& choice) const override {
    return {decided(part_of(call, CollectiveKind::reduce, call.size_bytes), choice),
            decided(part_of(call, CollectiveKind::broadcast, call.size_bytes), choice)};
  }
};

/// A reduce of all blocks to rank 0, then a scatterv, each as the library decides.
class ReduceScatterv final : public Composite {
 public:
  std::string_view name() const override { return "nonoverlapping"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::reduce_scatter}; }

 protected:
  std::vector<Part> parts(const Call& call, const Choice& choice) const override {
    const std::int64_t all = blocks_bytes(call, 0, call.ranks);
    Call scatterv = part_of(call, CollectiveKind::scatterv, block_bytes(call, call.rank));
    scatterv.sizes = call.sizes;
    return {decided(part_of(call, CollectiveKind::reduce, all), choice), decided(scatterv, choice)};
  }
};

/// A reduce of all blocks to rank 0, then a scatter, each as the library decides.
class ReduceScatter final : public Composite {
 public:
  std::string_view name() const override { return "linear"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::reduce_scatter_block}; }

 protected:
  std::vector<Part> parts(const Call& call, const Choice& choice) const override {
    const std::int64_t all = call.ranks * call.size_bytes;
    return {decided(part_of(call, CollectiveKind::reduce, all), choice),
            decided(part_of(call, CollectiveKind::scatter, call.size_bytes), choice)};
  }
};

/// A gather to rank 0, then a broadcast of all blocks, each as the library decides. To the broadcast, a block
/// of each rank is one element; of blocks that differ, all are one.
class GatherBroadcast final : public Composite {
 public:
  std::string_view name() const override { return "linear"; }
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::allgather, CollectiveKind::allgatherv};
  }

 protected:
  std::vector<Part> parts(const Call& call, const Choice& choice) const override {
    const bool differ = call.kind == CollectiveKind::allgatherv;
    Call gather = part_of(call, differ ? CollectiveKind::gatherv : CollectiveKind::gather,
                          block_bytes(call, call.rank));
    gather.sizes = call.sizes;
    const std::int64_t all = blocks_bytes(call, 0, call.ranks);
    Call broadcast = part_of(call, CollectiveKind::broadcast, all);
    broadcast.element_bytes = differ ? all : call.element_bytes * call.ranks;
    return {decided(gather, choice), decided(broadcast, choice)};
  }
};

}  // namespace

const Family& composite_family() {
  static const LinearAllreduce linear_allreduce;
  static const ReduceBroadcast reduce_broadcast;
  static const ReduceScatterv reduce_scatterv;
  static const ReduceScatter reduce_scatter;
  static const GatherBroadcast gather_broadcast;
  static const Family family{
      {&linear_allreduce, &reduce_broadcast, &reduce_scatterv, &reduce_scatter, &gather_broadcast}};
  return family;
}

}  // namespace finegrain::collectives
