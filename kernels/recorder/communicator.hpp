// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/recorder/mpi.hpp"

namespace finegrain::recorder {

class Recording;

/// A communicator of the program as the trace knows it. It lives as long as the communicator, or as a
/// wildcard receive on it that is not complete.
struct Communicator {
  std::int32_t number = 0;     ///< in the trace, which has those of its ranks that are of the run
  std::uint64_t identity = 0;  ///< the same on all its ranks
  int rank = 0;                ///< this rank's number in it
  int local_ranks = 0;         ///< ranks of an intercommunicator's local group
  bool is_inter = false;
  bool has_only_run = true;            ///< no process outside the run is in it
  bool is_local_first = true;          ///< whether an intercommunicator's local group is first in the trace
  std::int32_t local_number = 0;       ///< in the trace, of the local group alone
  std::vector<std::int32_t> ranks;     ///< the run's, or -1; an intercommunicator's local, then remote ones
  std::vector<int> destinations = {};  ///< a neighbour collective's, as numbers in the communicator
  std::vector<int> sources = {};

  /// Whether a collective operation on it can be recorded.
  bool is_in_run() const { return has_only_run; }
  int size() const { return static_cast<int>(ranks.size()); }
  int remote_ranks() const { return size() - local_ranks; }
  /// Whether a receive from any source may get a message of the run.
  bool has_sources_in_run() const {
    return std::any_of(ranks.begin() + (is_inter ? local_ranks : 0), ranks.end(),
                       [](std::int32_t one) { return one >= 0; });
  }
  /// The rank of the run that `peer` of a send or receive means; -1 for a process outside the run.
  std::int32_t rank_of_run(int peer) const {
    return ranks[static_cast<std::size_t>(is_inter ? local_ranks + peer : peer)];
  }
};
using CommunicatorPtr = std::shared_ptr<const Communicator>;

/// The program's communicators. What belongs to a communicator is cached as its attribute, so that both end
/// together.
class Communicators {
 public:
  explicit Communicators(Recording& recording);

  const CommunicatorPtr& world() const { return world_; }
  /// What is known of a communicator. If the call that made it is not recorded, it is defined now.
  const CommunicatorPtr& of(MPI_Comm comm) {
    if (comm == world_handle_) return world_;
    Cached& cached = cache_[slot(comm)];
    if (cached.communicator != nullptr && cached.comm == comm) return *cached.communicator;
    return look_up(comm, cached);
  }
  /// Defines a communicator in the trace once the program has made it.
  /// @param how  the function that made it. Ranks that called different functions for it give the same name
  /// @param parent  the communicator from whose identity the new one's is made
  void made(MPI_Comm comm, std::string_view how, const Communicator* parent);
  /// Defines a communicator in the trace that MPI_Comm_idup begins to make. All ranks call that in one order,
  /// but may complete its requests in any, so the communicator's identity is given at the call.
  /// @returns what is known of it, for made_later()
  CommunicatorPtr begin_duplicate(const Communicator& parent);
  /// Says which communicator it has become.
  void made_later(MPI_Comm comm, const CommunicatorPtr& communicator);
  /// Defines a communicator in the trace with the ranks of `parent` that are of the run, for a window or a
  /// persistent collective.
  /// @returns its number
  std::int32_t define_like(const Communicator& parent, std::string_view how);
  /// The ranks of the group, as ranks of the run; -1 for those that are not of the run.
  std::vector<std::int32_t> ranks_of_run(MPI_Group group) const;
  /// MPI begins to free a communicator: functions of the program may use it until that has ended.
  void is_being_freed(MPI_Comm comm, std::unique_ptr<CommunicatorPtr> communicator);
  /// It has ended, and other communicators may get the handle.
  void is_free(MPI_Comm comm);

 private:
  struct Cached {
    MPI_Comm comm{};
    const CommunicatorPtr* communicator = nullptr;
  };
  static std::size_t slot(MPI_Comm comm) {
    const auto bits = (std::uint64_t)(comm);
    return (bits ^ (bits >> 6) ^ (bits >> 10)) % 16;
  }
  struct BeingFreed {
    MPI_Comm comm;
    std::unique_ptr<CommunicatorPtr> communicator;
  };
  const CommunicatorPtr& look_up(MPI_Comm comm, Cached& cached);

  void define(Communicator& made, std::string_view how, const Communicator* parent);
  std::uint64_t identity(std::string_view how, const Communicator* parent,
                         std::span<const std::int32_t> ranks);

  Recording& recording_;
  MPI_Comm world_handle_;
  MPI_Group world_group_{};
  int keyval_ = 0;
  CommunicatorPtr world_;
  Cached cache_[16];
  std::vector<BeingFreed> being_freed_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> made_alike_;  ///< hash, and how many had that
};

}  // namespace finegrain::recorder
