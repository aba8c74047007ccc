// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/model/formula.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/pattern/volume.hpp"
#include "sim/policy/variant.hpp"
#include "traces/programs.hpp"

namespace finegrain::policy {

/// The binary that runs a variant, and the arguments that choose it among those in the binary.
struct KernelBinary {
  std::string binary;
  std::vector<std::string> arguments;
  bool is_upcxx = false;
};

/// A communication policy: how the accesses of a pattern become messages. An entry of the registry.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual std::string name() const = 0;
  /// A few words for `--help`, e.g. "UPCv1: each access is a message".
  virtual std::string help() const = 0;
  /// Its place in the order of the registry.
  virtual int order() const = 0;
  /// Whether it is the policy of users who name none.
  virtual bool is_usual() const { return false; }

  /// Its variants on a pattern, each transfer's usual completion first. None if the policy does not apply to
  /// the pattern.
  virtual std::vector<Variant> variants(const pattern::PatternKind& kind) const = 0;
  virtual Transfer usual_transfer() const { return Transfer::get; }

  /// Settings of its own with their defaults. Their names differ from those of all patterns' settings.
  virtual std::vector<pattern::Parameter> parameters() const { return {}; }

  /// Whether its programs depend on which ranks share a node, taken as run.ranks_per_node consecutive ranks.
  /// The programs of most policies always send the same messages.
  virtual bool looks_at_nodes() const { return false; }
  /// Whether programs() uses the counts of the run, if the pattern has any.
  virtual bool needs_counts() const { return false; }
  /// One iteration of every rank, shape [ranks].
  /// @param counts  Pattern::counts() of the run, if needs_counts(); empty: it counts itself
  /// @pre the run's variant is one of variants()
  virtual std::vector<Body> programs(const pattern::Pattern& pattern, const Run& run,
                                     std::span<const pattern::RankCounts> counts) const = 0;

  /// Whether messages(), volumes() and formula() need add_counts().
  virtual bool has_own_counts() const { return false; }
  /// Adds what only this policy counts to the counts of the run, shape [ranks].
  virtual void add_counts(const pattern::Pattern& /*pattern*/, const Run& /*run*/,
                          std::vector<pattern::RankCounts>& /*counts*/) const {}

  using OnVolume = std::function<void(int from, int to, const pattern::Volume& volume)>;
  /// Calls visit for each pair of ranks that exchange bytes in an iteration. The default passes on volume().
  virtual void volumes(const Run& run, std::span<const pattern::RankCounts> counts,
                       const OnVolume& visit) const;
  /// What an owner sends for the need of one other rank in an iteration. The default: what add_counts() set.
  /// @pre volumes() is not overridden
  virtual pattern::Volume volume(const pattern::PeerCounts& need) const;
  /// How many messages all ranks together send in one iteration. The default adds up volumes().
  virtual std::int64_t messages(const Run& run, std::span<const pattern::RankCounts> counts) const;

  /// The memory that each rank holds besides the pattern's arrays.
  /// @param counts  the run's; empty: only the memory that can be known without them
  virtual std::vector<pattern::MemoryUse> memory(const Run& run,
                                                 std::span<const pattern::RankCounts> counts) const = 0;

  /// Whether ranks must find out, once before the first iteration, which of their elements each other rank
  /// needs. Policy "preparation" does that.
  virtual bool needs_lists(const Run& /*run*/) const { return false; }

  virtual bool has_formula() const { return false; }
  /// Whether a search for the best policy tries it when the user names none. Counts of its own would take a
  /// pass over all accesses for each run that is tried.
  virtual bool is_candidate() const { return has_formula() && !has_own_counts(); }
  /// The closed form for patterns without one of their own. @pre has_formula()
  virtual model::Formula formula(const Run& run, std::span<const pattern::RankCounts> counts,
                                 model::ClosedForm form, const problem::Placement& placement) const;
  /// The equations of one rank that only exchanges with `peer` what these two exchange: counts of shape [1].
  /// The default is formula() of what one needs of the other. @pre has_formula()
  virtual model::Formula formula_between(const Run& run, std::span<const pattern::RankCounts> counts,
                                         model::ClosedForm form, const problem::Placement& placement,
                                         int rank, int peer) const;
  /// What the equations leave out of this run, as a text for the user; empty: nothing.
  virtual std::string formula_gap(const Run& /*run*/) const { return {}; }

  /// The binary that runs a variant. @pre the run's variant is one of variants()
  virtual KernelBinary kernel(const Run& run) const;
  /// Most bytes of shared memory that a rank of its UPC++ program needs. The default: its parts of x and y.
  virtual std::int64_t shared_bytes(const pattern::SharedElements& elements, const Run& run) const;
};

/// Adds the barriers that separate a stage of one-sided accesses from the next.
void add_fences(Body& body, const pattern::Pattern& pattern);

/// All policies, in order.
const std::vector<const Policy*>& policies();
/// @throws InputError if there is none of that name; the error names those that exist
const Policy& policy(const std::string& name);
const Policy& policy(const Run& run);
/// The policy of users who name none.
const Policy& usual_policy();

/// The parameters of all policies, each name once.
std::vector<pattern::Parameter> policy_parameters();
/// The parameters of all patterns and all policies.
std::vector<pattern::Parameter> all_parameters();
/// A setting of the run's policy: as given, or its default. @throws InputError if the given value is none of
/// the parameter's
Value setting_of(const Run& run, const std::string& name);
/// All settings of the run's policy, without the defaults of parameters whose is_said_if_usual is false.
Settings settings_of(const Run& run);

/// The pattern's counts of runs, and what each run's policy counts on its own. Shape [runs][ranks]
/// @param placements, threads  as Pattern::counts() takes them
std::vector<std::vector<pattern::RankCounts>> counts_of(const pattern::Pattern& pattern,
                                                        std::span<const Run> runs,
                                                        std::span<const problem::Placement> placements,
                                                        int threads);

/// What every rank does in an iteration of a run, and how often.
/// @param counts  the run's, if they are known
/// @throws InputError if there is no such variant, or the pattern cannot be laid out as the run asks
Schedule make_schedule(const pattern::Pattern& pattern, const Run& run,
                       std::span<const pattern::RankCounts> counts = {});

}  // namespace finegrain::policy
