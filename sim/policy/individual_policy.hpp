// SPDX-License-Identifier: MIT
#pragma once

#include "sim/policy/policy.hpp"

namespace finegrain::policy {

/// Each access of another rank's element is a message of its own: UPCv1, Listing 3 of Lagravière et al. 2019.
class Individual : public Policy {
 public:
  std::string name() const override { return "individual"; }
  std::string help() const override { return "UPCv1"; }
  int order() const override { return 1; }
  std::vector<Variant> variants(const pattern::PatternKind& kind) const override;
  std::vector<Body> programs(const pattern::Pattern& pattern, const Run& run,
                             std::span<const pattern::RankCounts> counts) const override;
  pattern::Volume volume(const pattern::PeerCounts& need) const override;
  std::int64_t messages(const Run& run, std::span<const pattern::RankCounts> counts) const override;
  /// Nothing: values go from where they are into the product.
  std::vector<pattern::MemoryUse> memory(const Run& /*run*/,
                                         std::span<const pattern::RankCounts> /*counts*/) const override {
    return {};
  }
  bool has_formula() const override { return true; }
  model::Formula formula(const Run& run, std::span<const pattern::RankCounts> counts, model::ClosedForm form,
                         const problem::Placement& placement) const override;
};

}  // namespace finegrain::policy
