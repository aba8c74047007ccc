// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <upcxx/runtime.hpp>
#include <vector>

namespace upcxx {

/// An ordered set of ranks.
class team {
 public:
  team(MPI_Comm comm, std::vector<intrank_t> world_ranks);
  team(team&&) = default;
  team(const team&) = delete;
  team& operator=(const team&) = delete;

  intrank_t rank_me() const { return rank_; }
  intrank_t rank_n() const { return static_cast<intrank_t>(world_ranks_.size()); }
  /// World rank of a rank of the team.
  intrank_t operator[](intrank_t rank) const { return world_ranks_[static_cast<std::size_t>(rank)]; }
  /// Rank in the team of a world rank. @pre it is in the team
  intrank_t from_world(intrank_t world_rank) const { return from_world(world_rank, -1); }
  intrank_t from_world(intrank_t world_rank, intrank_t otherwise) const;

  static constexpr intrank_t color_none = -1;
  /// The team of the ranks that give this color, in the order of their keys; no team on ranks that give
  /// color_none. Collective.
  team split(intrank_t color, intrank_t key) const;
  /// Collective.
  void destroy(entry_barrier entry = entry_barrier::user);

  MPI_Comm comm() const { return comm_; }  ///< not of UPC++'s API

 private:
  MPI_Comm comm_;
  std::vector<intrank_t> world_ranks_;
  intrank_t rank_ = 0;
};

team& world();
/// The ranks whose shared memory this one can load from and store to: those of its node.
team& local_team();
inline bool local_team_contains(intrank_t world_rank) {
  return local_team().from_world(world_rank, -1) >= 0;
}

}  // namespace upcxx
