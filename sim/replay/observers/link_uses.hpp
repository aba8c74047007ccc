// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "sim/replay/engine/observer.hpp"
#include "sim/replay/timeline.hpp"

namespace finegrain::replay {

/// What crosses the links of a platform.
class LinkUses : public Observer {
 public:
  /// @param groups  as ReplayJob::groups, which outlive this
  explicit LinkUses(const LoadedPlatform& loaded, std::span<const int> groups = {});
  void flow_started(std::size_t rank, const StartedFlow& flow) override;
  /// Those that bytes crossed, in the order of the platform file.
  std::vector<LinkUse> crossed() const;

 private:
  void count(std::size_t rank, const LoadedPlatform::Route& route, double bytes);

  std::vector<LinkUse> uses_;
  std::span<const int> groups_;
};

}  // namespace finegrain::replay
