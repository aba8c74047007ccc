// SPDX-License-Identifier: MIT
#pragma once

#include "sim/policy/policy.hpp"

namespace finegrain {

/// Each access of another rank's element is a message of its own: UPCv1, Listing 3 of Lagravière et al. 2019.
class Individual : public Policy {
 public:
  std::string name() const override { return "individual"; }
  std::string help() const override { return "UPCv1"; }
  int order() const override { return 1; }
  std::vector<Variant> variants(const PatternKind& kind) const override;
  std::vector<Body> programs(const Pattern& pattern, const Run& run,
                             std::span<const RankCounts> counts) const override;
  Volume volume(const PeerCounts& need) const override;
  std::int64_t messages(const Run& run, std::span<const RankCounts> counts) const override;
  bool has_formula() const override { return true; }
  Formula formula(const Run& run, std::span<const RankCounts> counts, ClosedForm form,
                  const Placement& placement) const override;
  std::int64_t shared_bytes(const SharedElements& elements, const Run& run) const override;
};

}  // namespace finegrain
