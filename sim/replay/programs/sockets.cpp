// SPDX-License-Identifier: MIT
#include "sim/replay/programs/sockets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::replay {
namespace {

std::size_t host_of(int node, std::span<const int> hosts) {
  const auto place = static_cast<std::size_t>(node);
  return hosts.empty() ? place : static_cast<std::size_t>(hosts[place]);
}

void check_fit(int ranks_on_node, int threads_per_rank, const Sockets& sockets) {
  const std::int64_t cores = std::int64_t{sockets.of_node} * sockets.cores;
  const std::int64_t in_turn = (std::int64_t{ranks_on_node} + sockets.of_node - 1) / sockets.of_node;
  if (sockets.are_in_turn && in_turn * threads_per_rank > sockets.cores)
    throw InputError(
        "--map-by socket",
        fmt::format("{} x {} on a socket of {} (each needs one)", format_count(in_turn, "rank"),
                    format_count(threads_per_rank, "thread"), format_count(sockets.cores, "core")),
        "Use fewer");
  if (sockets.ranks_per_socket) {
    const std::int64_t ranks = *sockets.ranks_per_socket;
    if (ranks * threads_per_rank > sockets.cores)
      throw InputError(
          "ranks per socket",
          fmt::format("{} x {} on a socket of {} (each needs one)", format_count(ranks, "rank"),
                      format_count(threads_per_rank, "thread"), format_count(sockets.cores, "core")),
          "Use fewer");
    if (ranks_on_node > ranks * sockets.of_node)
      throw InputError(
          "ranks per socket",
          fmt::format("{} on a node that has {}, {} on each", format_count(ranks_on_node, "rank"),
                      format_count(sockets.of_node, "socket"), format_count(ranks, "rank")),
          "Use more, or fewer ranks a node");
  } else if (std::int64_t{ranks_on_node} * threads_per_rank > cores) {
    throw InputError(
        "socket_power",
        fmt::format("{} x {} on a node of {} with {} (the power of "
                    "so many busy cores is not known)",
                    format_count(ranks_on_node, "rank"), format_count(threads_per_rank, "thread"),
                    format_count(sockets.of_node, "socket"), format_count(sockets.cores, "core")),
        "Use fewer ranks a node, or correct sockets and socket_power");
  }
}

}  // namespace

std::vector<std::vector<SocketShare>> socket_shares(const problem::Placement& placement, int threads_per_rank,
                                                    const Sockets& sockets) {
  check_fit(placement.most_ranks_on_a_node(), threads_per_rank, sockets);
  std::vector<std::vector<SocketShare>> shares(static_cast<std::size_t>(placement.ranks()));
  std::vector<int> on_node(static_cast<std::size_t>(placement.nodes()));  // ranks so far
  for (int rank = 0; rank < placement.ranks(); ++rank) {
    const auto node = static_cast<std::size_t>(placement.node(rank));
    const std::size_t first_socket = node * static_cast<std::size_t>(sockets.of_node);
    const int before = on_node[node]++;
    std::vector<SocketShare>& of_rank = shares[static_cast<std::size_t>(rank)];
    for (int thread = 0; thread < threads_per_rank; ++thread) {
      const int socket = sockets.are_in_turn        ? before % sockets.of_node
                         : sockets.ranks_per_socket ? before / *sockets.ranks_per_socket
                                                    : (before * threads_per_rank + thread) / sockets.cores;
      const std::size_t place = first_socket + static_cast<std::size_t>(socket);
      if (of_rank.empty() || of_rank.back().socket != place) of_rank.push_back({place, 0});
      ++of_rank.back().threads;
    }
  }
  return shares;
}

std::vector<std::uint32_t> memory_domains(const problem::Placement& placement, int threads_per_rank,
                                          const platform::Platform& platform, const EnergyOptions& options) {
  const int of_node = platform.memory_domains;
  std::vector<std::uint32_t> domains;
  if (of_node == 1) {
    for (int rank = 0; rank < placement.ranks(); ++rank)
      domains.push_back(static_cast<std::uint32_t>(placement.node(rank)));
    return domains;
  }
  const int most_ranks = placement.most_ranks_on_a_node();
  const bool fills_sockets = platform.powers && platform.sockets == of_node;
  const int equal_part = (most_ranks + of_node - 1) / of_node;
  const Sockets sockets = fills_sockets ? Sockets(platform, options)
                                        : Sockets(of_node, options.ranks_per_socket.value_or(equal_part),
                                                  options.sockets_in_turn);
  const auto shares = socket_shares(placement, threads_per_rank, sockets);
  for (const std::vector<SocketShare>& of_rank : shares)
    domains.push_back(static_cast<std::uint32_t>(of_rank.front().socket));
  const bool is_split = std::ranges::any_of(shares, [](const auto& of_rank) { return of_rank.size() > 1; }) ||
                        (!fills_sockets && !options.ranks_per_socket && !options.sockets_in_turn &&
                         threads_per_rank > 1 && most_ranks < of_node);
  if (is_split)
    throw InputError(
        "memory_domains",
        fmt::format("{} x {} on a node of {} domains put one rank's threads on two "
                    "(a rank's bytes go over one)",
                    format_count(most_ranks, "rank"), format_count(threads_per_rank, "thread"), of_node),
        "Use more ranks of fewer threads, or leave it out");
  return domains;
}

std::vector<double> rank_bandwidths(const problem::Placement& placement, int threads_per_rank,
                                    const platform::Platform& platform, std::span<const int> hosts) {
  std::vector<double> of_nodes;
  for (int node = 0; node < placement.nodes(); ++node)
    of_nodes.push_back(rank_bandwidth_bytes_per_s(platform.costs_of_node(host_of(node, hosts)),
                                                  static_cast<int>(placement.ranks_of(node).size()),
                                                  threads_per_rank));
  return of_nodes;
}

std::vector<double> memory_bandwidths(const problem::Placement& placement, const platform::Platform& platform,
                                      std::span<const int> hosts) {
  std::vector<double> of_nodes;
  for (int node = 0; node < placement.nodes(); ++node)
    of_nodes.push_back(platform.costs_of_node(host_of(node, hosts)).memory_bandwidth_bytes_per_s);
  return of_nodes;
}

double idle_power_w(const problem::Placement& placement, int threads_per_rank,
                    const platform::Platform& platform, const EnergyOptions& options) {
  const platform::Powers& powers = *platform.powers;
  std::set<std::size_t> used;
  for (const auto& shares : socket_shares(placement, threads_per_rank, {platform, options}))
    for (const SocketShare& share : shares)
      used.insert(share.socket);
  const double sockets = options.counted == CountedSockets::used
                             ? static_cast<double>(used.size())
                             : static_cast<double>(placement.nodes()) * platform.sockets;
  return placement.nodes() * powers.node_w + sockets * powers.socket_w(0);
}

double busy_power_w(const problem::Placement& placement, int threads_per_rank,
                    const platform::Platform& platform, const EnergyOptions& options) {
  const platform::Powers& powers = *platform.powers;
  std::map<std::size_t, int> busy;  // threads, by socket
  for (const auto& shares : socket_shares(placement, threads_per_rank, {platform, options}))
    for (const SocketShare& share : shares)
      busy[share.socket] += share.threads;
  double watts = idle_power_w(placement, threads_per_rank, platform, options);
  for (const auto& [socket, threads] : busy)
    watts += powers.socket_w(threads) - powers.socket_w(0);
  return watts;
}

}  // namespace finegrain::replay
