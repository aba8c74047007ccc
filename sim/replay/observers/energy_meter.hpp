// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <vector>

#include "sim/platform/power.hpp"
#include "sim/replay/engine/observer.hpp"
#include "sim/replay/programs/sockets.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// Computes the energy of a run from the powers of a platform.
///
/// A socket draws P(k) while k of its cores are busy. Its idle power P(0) is drawn all the time, and belongs
/// to no rank. The busy threads share the rest, P(k) - P(0), equally. Each thread's share counts for the
/// region that its rank is in. An iteration that is not simulated, because it repeats another, adds to each
/// region as many joules as that one did. All joules together are the integral of P over time.
class EnergyMeter : public Observer {
 public:
  /// @pre the platform has powers, and all outlive the meter
  /// @throws InputError if a node has more threads than cores whose power is known
  EnergyMeter(const problem::Placement& placement, int threads_per_rank, const platform::Platform& platform,
              const EnergyOptions& options, const LoadedPlatform& loaded);

  void step_began(std::size_t rank, const Step& step, double now_s) override;
  void step_done(std::size_t rank, const Step& step, double now_s) override;
  void region_ended(std::size_t rank, std::uint32_t place, double now_s, RankReplay& so_far) override;
  void rank_finished(std::size_t rank, double now_s) override;
  void flow_started(std::size_t rank, const StartedFlow& flow) override;

  /// @param result  the run's, whole: with the iterations that were not simulated
  Energy energy(const ReplayResult& result) const;

 private:
  /// Beyond its idle power.
  struct Socket {
    int busy_threads = 0;
    double thread_w = 0;  ///< each one's
    double thread_j = 0;  ///< that of one that has been busy all the time until `until_s`
    double until_s = 0;
  };
  struct Share {
    SocketShare on;
    double from_j = 0;  ///< Socket::thread_j when the rank's joules were taken last
  };
  struct Rank {
    std::vector<Share> shares;
    bool is_busy = false;
    double joules = 0;  ///< since its region began
  };

  void set_busy(Rank& rank, bool is_busy, double now_s);
  /// Adds what the rank drew since that was done last.
  void take(Rank& rank, double now_s);

  const platform::Powers& powers_;
  EnergyOptions options_;
  const LoadedPlatform& loaded_;
  double idle_w_;  ///< the nodes' and sockets'
  std::vector<Socket> sockets_;
  std::vector<Rank> ranks_;
  std::set<std::size_t> links_;  ///< that carried something
};

}  // namespace finegrain::replay
