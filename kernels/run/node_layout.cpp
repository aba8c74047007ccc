// SPDX-License-Identifier: MIT
#include "kernels/run/node_layout.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "kernels/machine/cpus.hpp"
#include "kernels/problem/placement.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::kernels {
namespace {

/// Text that numbers can be read from again.
std::string join(const std::vector<int>& numbers) {
  return fmt::format("{}", fmt::join(numbers, " "));
}

std::vector<int> numbers_in(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<int>(in), {}};
}

/// The ranks on this one's node, and the CPUs that any of them may run on.
struct Node {
  int ranks = 0;
  std::set<int> cpus;
};

/// Collective.
Node find_node(const Session& session) {
  const auto first_ranks = session.all_texts(std::to_string(session.first_on_node()));
  const auto cpus_of_ranks = session.all_texts(join(machine::allowed_cpus()));
  Node node;
  for (std::size_t rank = 0; rank < first_ranks.size(); ++rank) {
    if (first_ranks[rank] != std::to_string(session.first_on_node())) continue;
    ++node.ranks;
    const std::vector<int> of_rank = numbers_in(cpus_of_ranks[rank]);
    node.cpus.insert(of_rank.begin(), of_rank.end());
  }
  return node;
}

}  // namespace

std::vector<std::string> hosts_of_ranks(const Session& session) {
  std::array<char, 256> name = {};
  ::gethostname(name.data(), name.size() - 1);
  return session.all_texts(name.data());
}

std::string pinning_of_ranks(const Session& session) {
  const std::vector<std::string> cpus = session.all_texts(machine::format_cpus(machine::allowed_cpus()));
  const bool same =
      std::all_of(cpus.begin(), cpus.end(), [&](const std::string& each) { return each == cpus.front(); });
  if (same) return "all: " + cpus.front();
  std::string listed;
  for (std::size_t rank = 0; rank < cpus.size(); ++rank)
    listed += fmt::format("{}{}: {}", rank == 0 ? "" : "; ", rank, cpus[rank]);
  return listed;
}

NodeLayout find_node_layout(const Session& session, int threads, std::optional<int> stated_ranks_per_node) {
  const Node node = find_node(session);
  const int cores_here = machine::count_cores({node.cpus.begin(), node.cpus.end()});
  // The fewest cores of any node are found as the maximum of the negative numbers.
  std::array<double, 3> most = {static_cast<double>(node.ranks), -static_cast<double>(cores_here),
                                node.ranks * threads > cores_here ? 1.0 : 0.0};
  session.maximize(most);
  NodeLayout layout;
  layout.ranks_per_node = static_cast<int>(most[0]);
  layout.cores = static_cast<int>(-most[1]);
  layout.oversubscribed = most[2] != 0.0;
  layout.pinning = pinning_of_ranks(session);

  together(session, [&] {
    const problem::Placement placement(session.ranks(),
                                       stated_ranks_per_node.value_or(layout.ranks_per_node));
    if (!stated_ranks_per_node &&
        placement.ranks_of(placement.node(session.rank())).front() != session.first_on_node()) {
      throw InputError(
          "ranks",
          fmt::format("rank {} is not on the node of rank {} (a node must hold consecutive ranks)",
                      session.rank(), placement.ranks_of(placement.node(session.rank())).front()),
          "Start them so that consecutive ranks share a node (mpirun --map-by slot, srun "
          "--distribution=block), the same number on each node, or give --ranks-per-node");
    }
  });
  layout.ranks_per_node = stated_ranks_per_node.value_or(layout.ranks_per_node);
  return layout;
}

}  // namespace finegrain::kernels
