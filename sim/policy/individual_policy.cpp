// SPDX-License-Identifier: MIT
//
// Policy "individual": each access is a message. Phases:
//
//     get        each        compute (gets inside), barrier, barrier
//     get        together    compute (gets inside, puts are started), wait, barrier, barrier
//
// Equal neighbours are merged into one message with a repeat count. Together: a rank goes on once a write has
// begun, as in MuPC (Zhang et al. 2006), and waits for all its writes at the sequence point.
#include "sim/policy/individual_policy.hpp"

#include "sim/model/terms.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "sim/policy/counted.hpp"
#include "sim/policy/staged_bodies.hpp"

namespace finegrain::policy {

std::vector<Variant> Individual::variants(const pattern::PatternKind& kind) const {
  if (!kind.has_accesses()) return {};
  std::vector<Variant> all{{name(), Transfer::get, Completion::each}};
  if (kind.has_writes()) all.push_back({name(), Transfer::get, Completion::together});
  return all;
}

std::vector<Body> Individual::programs(const pattern::Pattern& pattern, const Run& run,
                                       std::span<const pattern::RankCounts> /*counts*/) const {
  const bool starts_writes = run.completion == Completion::together;
  return staged_bodies(
      pattern, run,
      [&](int /*rank*/, Body& body, std::span<const pattern::Access> accesses) {
        for (const pattern::Access& access : accesses) {
          const bool is_started = access.writes && starts_writes;
          add_or_repeat(body, {.kind = is_started      ? TransferKind::put
                                       : access.writes ? TransferKind::store
                                                       : TransferKind::load,
                               .blocking = !is_started,
                               .private_memory = pattern.uses_private_memory(),
                               .peer = access.owner,
                               .size_bytes = access.size_bytes});
        }
      },
      [&](int /*rank*/, Body& body) {
        if (starts_writes) body.add_region(regions::wait, Complete::all());
      });
}

pattern::Volume Individual::volume(const pattern::PeerCounts& need) const {
  return {need.accesses, need.accesses * pattern::double_bytes};
}

std::int64_t Individual::messages(const Run& /*run*/, std::span<const pattern::RankCounts> counts) const {
  return total(counts, &pattern::RankCounts::accesses_local, &pattern::RankCounts::accesses_remote);
}

/// The slowest rank decides, eqs. (7), (10), (16). Everything is charged to `compute`, where the listing does
/// its accesses.
model::Formula Individual::formula(const Run& run, std::span<const pattern::RankCounts> counts,
                                   model::ClosedForm form, const problem::Placement& /*placement*/) const {
  const Counted counted(run, counts, form);
  return {.total_equation = "(16)",
          .phases = {regions::compute},
          .terms = {counted.compute(0, model::Gathering::of_rank),
                    {.part = "local",
                     .equation = "(10)",
                     .symbol = "C_local,indv",
                     .counted = "accesses within the node",
                     .each = "sizeof(cache line)",
                     .cache_lines_each = 1,
                     .counts = counted.sum(&pattern::RankCounts::accesses_local)},
                    model::RemoteTerms{"(10)"}.messages("C_remote,indv", "accesses of other nodes",
                                                        counted.sum(&pattern::RankCounts::accesses_remote))}};
}

const Policy& individual_policy() {
  static const Individual policy;
  return policy;
}

}  // namespace finegrain::policy
