// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace finegrain::replay {

/// Barriers of schedules, each of one group of ranks. Those of recorded programs are collectives.
class Barriers {
 public:
  /// A rank that is at a barrier.
  struct Waiting {
    std::size_t rank;
    double since_s;
  };

  /// @param groups  each rank's, counted from 0; empty: all ranks are one. They outlive this
  Barriers(std::size_t ranks, std::span<const int> groups);

  /// @returns all of its group, in the order of their coming, if the rank is the last one to come: they
  /// leave; otherwise nobody. Valid until the next call
  std::span<const Waiting> enter(std::size_t rank, double now_s);

 private:
  std::span<const int> groups_;
  std::vector<std::size_t> sizes_;             ///< the groups'
  std::vector<std::vector<Waiting>> waiting_;  ///< each group's
  std::vector<Waiting> leaving_;
};

/// When ranks leave a dissemination barrier: in round r, rank i waits for rank i - 2^r. Where ranks answer
/// only while they are in a call, it matters who leaves first: the rank that came last, for the others'
/// messages are there.
/// @param waiting  in the order of the ranks
/// @param hop_s  from one rank to another, seconds
/// @param noticed_s  when a rank goes on that waits for what happens then
/// @returns the times in the order of `waiting`
std::vector<double> times_of_rounds(std::span<const Barriers::Waiting> waiting,
                                    const std::function<double(std::size_t, std::size_t)>& hop_s,
                                    const std::function<double(std::size_t, double)>& noticed_s);

}  // namespace finegrain::replay
