// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/replay/engine/observer.hpp"
#include "sim/replay/timeline.hpp"

namespace finegrain::replay {

/// What crosses the links of a platform.
class LinkUses : public Observer {
 public:
  explicit LinkUses(const LoadedPlatform& loaded);
  void flow_started(std::size_t rank, std::uint32_t flow, const LoadedPlatform::Route& route, double bytes,
                    bool is_later) override;
  /// Those that bytes crossed, in the order of the platform file.
  std::vector<LinkUse> crossed() const;

 private:
  std::vector<LinkUse> uses_;
};

}  // namespace finegrain::replay
