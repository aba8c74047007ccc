// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "kernels/spmv/exchange.hpp"

namespace finegrain::kernels {

/// Values that lie one after the other, and the place of each in another array.
struct Stretch {
  std::int64_t first;
  Exchange places;
};

/// Consecutive values that are copied from one buffer to another in the same order.
struct CopiedPart {
  std::int64_t from;
  std::int64_t to;
  std::int64_t count;
};

/// What one rank does in an iteration, so that each value that its node reads of another crosses the network
/// once. For each ordered pair of nodes, a rank of the first leads the sending, and a rank of the second
/// leads the receiving.
///
///     gather     x -> sent -> received, within the node
///     exchange   parts in received, and of x -> gathered -> arrived, between leaders
///     scatter    arrived -> scattered -> kept, within the node
///
/// Ranks exchange messages in ascending order.
struct NodeAwareExchange {
  /// To ranks of the node: what each reads, then the parts of the messages that it leads. Places in x.
  Exchange gather_out;
  std::vector<PeerValues> gather_in;     ///< parts of `received`
  std::vector<Stretch> direct;           ///< what this rank reads of `received`. Places in x_copy
  std::vector<Stretch> own_parts;        ///< what this rank owns of `gathered`. Places in x
  std::vector<CopiedPart> others_parts;  ///< from `received` to `gathered`
  std::vector<PeerValues> exchange_out;  ///< parts of `gathered`
  std::vector<PeerValues> exchange_in;   ///< parts of `arrived`
  Exchange scatter_out;                  ///< to other ranks of the node. Places in arrived
  Stretch own_scatter;                   ///< part of `kept`. Places in arrived
  std::vector<PeerValues> scatter_in;    ///< parts of `kept`
  Exchange kept;                         ///< places in x_copy

  std::int64_t received_values() const { return values_of(gather_in); }
  std::int64_t gathered_values() const { return values_of(exchange_out); }
  std::int64_t arrived_values() const { return values_of(exchange_in); }
  std::int64_t packed_values() const;
  std::int64_t copied_values() const;
  std::int64_t scattered_values() const { return scatter_out.values() + own_scatter.places.values(); }
  std::int64_t unpacked_values() const;

  /// Shapes [own rows], [gather_out.values()], [gathered_values()]
  void pack_parts(const double* x, double* sent, double* gathered) const;
  void gather(const double* received, double* gathered) const;
  void scatter(const double* arrived, double* scattered, double* kept) const;
  void unpack_all(const double* received, const double* kept, double* x_copy) const;

 private:
  static std::int64_t values_of(const std::vector<PeerValues>& messages);
};

/// A list for each rank.
using Lists = std::vector<std::vector<std::int32_t>>;
/// Collective: sends each rank its list. @returns what each rank has for this one
using ExchangeLists = std::function<Lists(const Lists&)>;

/// Collective: each rank finds the elements that it reads, and tells their owners and the leaders of its own
/// node. An owner tells the leaders of its node how many values it has for each of their messages.
/// @param nodes  the nodes of the ranks; consecutive ranks share a node
NodeAwareExchange find_node_aware_exchange(const SpmvInput& input, const OwnRows& own, int rank,
                                           const problem::Placement& nodes,
                                           const ExchangeLists& exchange_lists);

}  // namespace finegrain::kernels
