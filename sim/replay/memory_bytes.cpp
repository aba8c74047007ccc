// SPDX-License-Identifier: MIT
#include "sim/replay/memory_bytes.hpp"

#include "sim/replay/programs/memory_volumes.hpp"

namespace finegrain::replay {
namespace {

/// For a message within the node. The receiver of a two-sided message moves nothing: its sender copies.
double local_volume(const Post& post, const platform::PlatformCosts& costs) {
  const auto repeat = static_cast<double>(post.repeat);
  const auto bytes = static_cast<double>(post.size_bytes);
  switch (post.kind) {
    case TransferKind::receive:
      return 0;
    case TransferKind::send:
      return repeat * copy_volume(bytes, costs);
    case TransferKind::load:
    case TransferKind::store:
      return repeat * element_volume(bytes, costs);
    default:
      return repeat * one_sided_volume(post.kind, bytes, costs);
  }
}

}  // namespace

std::vector<double> node_memory_bytes(const Schedule& schedule, const platform::PlatformCosts& costs,
                                      const problem::Placement& placement) {
  std::vector<double> bytes(static_cast<std::size_t>(placement.nodes()), 0);
  for (int rank = 0; rank < placement.ranks(); ++rank) {
    double& of_node = bytes[static_cast<std::size_t>(placement.node(rank))];
    for (const Operation& operation : schedule.ranks[static_cast<std::size_t>(rank)].operations) {
      if (const auto* work = std::get_if<Work>(&operation)) of_node += work_volume(*work, costs);
      const auto* post = std::get_if<Post>(&operation);
      if (post != nullptr && placement.same_node(rank, post->peer)) of_node += local_volume(*post, costs);
    }
  }
  return bytes;
}

}  // namespace finegrain::replay
