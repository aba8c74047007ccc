// SPDX-License-Identifier: MIT
#include "kernels/recorder/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>
#include <map>
#include <vector>

#include "functions.hpp"
#include "kernels/machine/cpus.hpp"

namespace finegrain::recorder {
namespace {

constexpr int most_cpus = 8192;
constexpr std::size_t longest_text = 64;  ///< one rank's CPUs

/// The CPUs that any rank of the node may run on.
std::vector<int> cpus_of_node(MPI_Comm node) {
  std::array<unsigned char, most_cpus> allowed = {};
  for (const int cpu : machine::allowed_cpus()) {
    if (cpu < most_cpus) allowed[static_cast<std::size_t>(cpu)] = 1;
  }
  real.MPI_Allreduce(MPI_IN_PLACE, allowed.data(), most_cpus, MPI_UNSIGNED_CHAR, MPI_MAX, node);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < most_cpus; ++cpu) {
    if (allowed[static_cast<std::size_t>(cpu)] != 0) cpus.push_back(cpu);
  }
  return cpus;
}

std::string pinning_of_ranks(MPI_Comm world, int ranks) {
  std::array<char, longest_text> mine = {};
  machine::format_cpus(machine::allowed_cpus()).copy(mine.data(), mine.size() - 1);
  std::vector<std::array<char, longest_text>> all(static_cast<std::size_t>(ranks));
  real.MPI_Gather(mine.data(), longest_text, MPI_CHAR, all.data(), longest_text, MPI_CHAR, 0, world);
  if (rank_in(world) != 0) return {};
  if (std::count(all.begin(), all.end(), all.front()) == ranks)
    return fmt::format("all: {}", all.front().data());
  std::string listed;
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    listed += fmt::format("{}{}: {}", rank == 0 ? "" : "; ", rank, all[rank].data());
  return listed;
}

/// @param first_on_node  the lowest rank that shares this one's memory
std::string ranks_of_nodes(MPI_Comm world, int ranks, int first_on_node) {
  std::vector<int> firsts(static_cast<std::size_t>(ranks));
  real.MPI_Gather(&first_on_node, 1, MPI_INT, firsts.data(), 1, MPI_INT, 0, world);
  if (rank_in(world) != 0) return {};
  std::map<int, std::vector<int>> nodes;
  for (int rank = 0; rank < ranks; ++rank)
    nodes[firsts[static_cast<std::size_t>(rank)]].push_back(rank);
  const std::size_t most = nodes.begin()->second.size();
  bool is_regular = true;
  std::string listed;
  for (const auto& [first, members] : nodes) {
    const bool is_last = first == nodes.rbegin()->first;
    is_regular = is_regular && members.back() - first + 1 == static_cast<int>(members.size()) &&
                 (members.size() == most || (is_last && members.size() < most));
    listed += (listed.empty() ? "" : "; ") + machine::format_cpus(members);
  }
  return is_regular ? "" : listed;
}

}  // namespace

int rank_in(MPI_Comm comm) {
  int rank = 0;
  real.MPI_Comm_rank(comm, &rank);
  return rank;
}

Layout find_layout(MPI_Comm world) {
  int ranks = 1;
  real.MPI_Comm_size(world, &ranks);
  MPI_Comm node;
  real.MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank_in(world), MPI_INFO_NULL, &node);
  int on_node = 1;
  real.MPI_Comm_size(node, &on_node);
  int first_on_node = rank_in(world);
  real.MPI_Bcast(&first_on_node, 1, MPI_INT, 0, node);
  Layout layout;
  layout.cores = machine::count_cores(cpus_of_node(node));
  real.MPI_Comm_free(&node);
  std::array<int, 2> most = {on_node, on_node > layout.cores ? 1 : 0};
  real.MPI_Allreduce(MPI_IN_PLACE, most.data(), 2, MPI_INT, MPI_MAX, world);
  layout.ranks_per_node = most[0];
  layout.oversubscribed = most[1] != 0;
  layout.pinning = pinning_of_ranks(world, ranks);
  layout.ranks_of_nodes = ranks_of_nodes(world, ranks, first_on_node);
  return layout;
}

}  // namespace finegrain::recorder
