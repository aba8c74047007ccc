// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "sim/replay/contention.hpp"
#include "sim/replay/engine/observer.hpp"

namespace finegrain::replay {

/// Which flows use the same links at the same time. An example: a flow from 0 s to 4 s over links a and b,
/// one from 1 s to 3 s over a, one from 2 s to 3 s over b. The first has shared a for 2 s and b for 1 s, so
/// a, if both have the same bandwidth, is its most crowded link, and the second is its rival.
class Rivals : public Observer {
 public:
  /// @param bandwidths_bytes_per_s  of all links, which outlive this
  Rivals(std::size_t ranks, std::span<const double> bandwidths_bytes_per_s)
      : in_region_(ranks),
        on_link_(bandwidths_bytes_per_s.size()),
        bandwidths_bytes_per_s_(bandwidths_bytes_per_s) {}

  void flow_started(std::size_t rank, const StartedFlow& flow) override;
  void flow_ended(std::size_t rank, std::uint32_t flow, double now_s) override;
  void step_began(std::size_t rank, const Step& step, double now_s) override;
  void step_done(std::size_t rank, const Step& step, double now_s) override;
  void region_ended(std::size_t rank, std::uint32_t place, double now_s, RankReplay& so_far) override;

  /// @param regions  as ReplayResult::regions @param links  names of all
  std::vector<Contention> contentions(const std::vector<std::vector<std::string>>& regions,
                                      const std::vector<std::string>& links) const;

 private:
  static constexpr std::uint32_t unknown = ~0U;

  struct OfFlow {
    Traffic traffic;
    std::vector<std::size_t> links;
    double start_s = 0;
    double alone_s = 0;                                               ///< that its bytes take
    std::uint32_t region = unknown;                                   ///< until its rank has ended it
    std::map<std::pair<std::size_t, Traffic>, double> shared_s = {};  ///< by link and rival
    bool has_ended = false;
    double late_s = 0;
  };

  void keep(const OfFlow& flow);

  double now_s_ = 0;
  std::map<std::uint32_t, std::shared_ptr<OfFlow>> under_way_;
  std::vector<std::vector<std::shared_ptr<OfFlow>>>
      in_region_;                              ///< posted in the region at hand, shape [ranks]
  std::vector<std::vector<OfFlow*>> on_link_;  ///< under way, shape [links]
  std::span<const double> bandwidths_bytes_per_s_;
  /// Seconds, by rank and its region, link and rival.
  std::map<std::tuple<Traffic, std::uint32_t, std::size_t, Traffic>, double> found_;
};

}  // namespace finegrain::replay
