// SPDX-License-Identifier: MIT
#pragma once

#include <boost/functional/hash.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/replay/loaded_platform.hpp"
#include "sim/replay/programs/connections.hpp"
#include "sim/replay/programs/rank_rails.hpp"
#include "sim/replay/programs/sockets.hpp"
#include "sim/replay/programs/steps.hpp"
#include "sim/replay/replay.hpp"
#include "traces/operation.hpp"

namespace finegrain::replay {

/// Whether a program's requests have to be told apart: not if it always waits for all of them.
enum class Requested : std::uint8_t { as_the_body_needs, one_by_one };

/// Whether what one rank sends another passes one after the other.
inline bool keeps_order(const platform::PlatformCosts& costs) {
  return costs.replies_wait || costs.request_bytes > 0 || costs.links_in_order ||
         costs.connection_lead_bytes > 0;
}

/// Turns what ranks do into steps that an engine can execute: here is the model of every operation. Routes
/// and connections are found when they are first met.
class Compiler {
 public:
  /// @pre all but the placement outlive the compiler
  /// @throws InputError as memory_domains()
  Compiler(problem::Placement placement, const platform::PlatformCosts& costs, const ReplayOptions& options,
           LoadedPlatform& loaded, const ReplayJob& job)
      : placement_(std::move(placement)),
        costs_(costs),
        options_(options),
        loaded_(loaded),
        job_(job),
        memories_(
            memory_domains(placement_, job.schedule->run.threads_per_rank, *job.platform, options.energy)),
        rails_(loaded.rails(), placement_) {
    for (int rank = 0; rank < placement_.ranks(); ++rank)
      work_scales_.push_back(find_work_scale(rank));
  }

  /// @param durations_s  seconds of each region to replay instead of memory volumes (PhaseDurations); empty:
  /// volumes
  /// @param requested  one by one where another body may wait for this one's requests
  /// @throws InputError if a route is missing
  CompiledBody compile(const Body& body, int rank, std::span<const double> durations_s = {},
                       Requested requested = Requested::as_the_body_needs);

  /// A collective that the rank takes part in, as the platform's MPI library would carry it out.
  /// @param sizes  Body::sizes; they outlive what is returned
  /// @throws InputError if no library is known, or the rank is not in the communicator
  CompiledBody::CollectiveStep collective_step(const Collective& collective, const Body& body,
                                               int rank) const;

  /// One round of a collective that the rank takes part in.
  /// @param instance  tells apart collectives of one communicator that are under way at one time
  CompiledBody compile_round(const CompiledBody::CollectiveStep& collective, std::int64_t round, int rank,
                             std::int32_t instance);

  const problem::Placement& placement() const { return placement_; }
  const std::vector<const LoadedPlatform::Route*>& routes() const { return routes_; }
  /// The memory domain that a rank's bytes go over.
  std::uint32_t memory(std::int32_t rank) const { return memories_[static_cast<std::size_t>(rank)]; }
  /// Seconds on the rank's host for each second of its program's work of which only the time is known.
  double work_scale(int rank) const { return work_scales_[static_cast<std::size_t>(rank)]; }
  std::uint32_t route(int from_rank, int to_rank, By by = By::one_rail);
  /// How a message of so many bytes goes to another node.
  By rails_of(double size_bytes) const {
    const bool is_divided = costs_.stripe_above_bytes && size_bytes > *costs_.stripe_above_bytes;
    return is_divided ? By::all_rails : By::one_rail;
  }
  /// How long the smallest message takes from being sent until it is there.
  double hop_s(std::size_t from_rank, std::size_t to_rank);
  /// How many locks of windows were met.
  std::size_t locks() const { return locks_.size(); }
  const std::vector<Connection>& connections() const { return connections_.all(); }

 private:
  friend class BodyCompiler;
  double find_work_scale(int rank) const;
  std::uint32_t connection(int from_rank, int to_rank, const Post& post);
  /// The lock of a rank's memory in a window.
  std::uint32_t lock(std::int32_t window, std::int32_t peer) {
    return locks_.try_emplace({window, peer}, static_cast<std::uint32_t>(locks_.size())).first->second;
  }
  /// Those of the rank's group; none for a schedule (ReplayJob::decisions).
  const collectives::Decisions* decisions_of(int rank) const;
  double latency_s(int from_rank, int to_rank, By by = By::one_rail);
  /// On the rail of what goes from one to the other, or on all.
  const LoadedPlatform::Route& route_of_ranks(int from_rank, int to_rank, By by = By::one_rail);
  /// Where it counts when the program is compiled. @throws InputError if a profile changes latencies
  double fixed_latency_s(int from_rank, int to_rank, By by = By::one_rail);
  void check_fixed_latencies() const;
  /// @pre it is not within a node
  double latency_s(std::uint32_t connection) const;
  /// Seconds of a barrier of the rank's group. Without a barrier, nodes that exchange no message need no
  /// route to one another.
  double barrier_s(int rank);
  double barrier_s(const std::vector<int>& nodes, int most_ranks_on_a_node);

  problem::Placement placement_;
  const platform::PlatformCosts& costs_;
  const ReplayOptions& options_;
  LoadedPlatform& loaded_;
  const ReplayJob& job_;
  std::vector<std::uint32_t> memories_;  ///< the domain of each rank, shape [ranks]
  RankRails rails_;
  std::vector<double> work_scales_;  ///< shape [ranks]
  std::vector<const LoadedPlatform::Route*> routes_;
  Connections connections_;
  /// By nodes and rail.
  using RouteEnds = std::tuple<int, int, int>;
  std::unordered_map<RouteEnds, std::uint32_t, boost::hash<RouteEnds>> route_places_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t> locks_;  ///< by window and rank
  std::vector<Operation> round_;                                          ///< for compile_round()
  std::map<int, double> barriers_s_;                                      ///< by group
};

/// The job's own, or block.
problem::Placement placement_of(const ReplayJob& job);

/// What the ranks of a job do in each iteration of its schedule. Shape [ranks]
/// @throws InputError if a route is missing
std::vector<CompiledBody> compile(const ReplayJob& job, Compiler& compiler);

}  // namespace finegrain::replay
