// SPDX-License-Identifier: MIT
#include "sim/policy/policy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "sim/pattern/memory_bytes.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::policy {

// Made by CMake: each file NAME_policy.cpp of this folder defines a function NAME_policy().
std::vector<const Policy*> policies_of_files();

namespace {

/// What one rank needs of another.
pattern::PeerCounts needs_of(const pattern::RankCounts& reader, int owner) {
  const auto found = std::ranges::lower_bound(reader.needs, owner, {}, &pattern::PeerCounts::peer);
  return found != reader.needs.end() && found->peer == owner ? *found : pattern::PeerCounts{};
}

/// The counts of a rank that only exchanges with `peer` what these two exchange.
/// @param gets  whether the rank gets what it needs of the peer; otherwise it sends what the peer needs
pattern::RankCounts counts_between(std::span<const pattern::RankCounts> counts,
                                   const problem::Placement& placement, int rank, int peer, bool gets) {
  const bool local = placement.same_node(rank, peer);
  const pattern::PeerCounts in = needs_of(counts[static_cast<std::size_t>(rank)], peer);
  const pattern::PeerCounts out = needs_of(counts[static_cast<std::size_t>(peer)], rank);
  const std::int64_t values = gets ? in.values : out.values;
  const std::int64_t message = values > 0 ? 1 : 0;
  pattern::RankCounts between;
  (local ? between.accesses_local : between.accesses_remote) = in.accesses;
  (local ? between.blocks_local : between.blocks_remote) = in.blocks;
  (local ? between.block_values_local : between.block_values_remote) = in.block_values;
  (local ? between.blocks_out_local : between.blocks_out_remote) = out.blocks;
  (local ? between.block_values_out_local : between.block_values_out_remote) = out.block_values;
  (local ? between.messages_out_local : between.messages_out_remote) = message;
  (local ? between.messages_in_local : between.messages_in_remote) = message;
  (local ? between.values_out_local : between.values_out_remote) = values;
  (local ? between.values_in_local : between.values_in_remote) = values;  // one rank packs, the other unpacks
  return between;
}

}  // namespace

void Policy::volumes(const Run& /*run*/, std::span<const pattern::RankCounts> counts,
                     const OnVolume& visit) const {
  for (std::size_t reader = 0; reader < counts.size(); ++reader)
    for (const pattern::PeerCounts& need : counts[reader].needs)
      visit(need.peer, static_cast<int>(reader), volume(need));
}

pattern::Volume Policy::volume(const pattern::PeerCounts& need) const {
  assert(has_own_counts());
  return {need.fetches, need.fetched_bytes};
}

std::int64_t Policy::messages(const Run& run, std::span<const pattern::RankCounts> counts) const {
  std::int64_t all = 0;
  volumes(run, counts,
          [&](int /*from*/, int /*to*/, const pattern::Volume& volume) { all += volume.messages; });
  return all;
}

std::int64_t Policy::shared_bytes(const pattern::SharedElements& elements, const Run& /*run*/) const {
  return 2 * elements.most_of_a_rank * pattern::double_bytes;
}

model::Formula Policy::formula(const Run& /*run*/, std::span<const pattern::RankCounts> /*counts*/,
                               model::ClosedForm /*form*/, const problem::Placement& /*placement*/) const {
  assert(false);
  return {};
}

model::Formula Policy::formula_between(const Run& run, std::span<const pattern::RankCounts> counts,
                                       model::ClosedForm form, const problem::Placement& placement, int rank,
                                       int peer) const {
  const bool gets = run.transfer == Transfer::get;
  return formula(run, std::vector{counts_between(counts, placement, rank, peer, gets)}, form, placement);
}

KernelBinary Policy::kernel(const Run& run) const {
  const bool is_upcxx = run.transfer != Transfer::two_sided;
  return {fmt::format("{}_{}_{}", run.problem.pattern, name(), is_upcxx ? "upcxx" : "mpi"), {}, is_upcxx};
}

void add_fences(Body& body, const pattern::Pattern& pattern) {
  for (int fence = 0; fence < pattern.fences(); ++fence)
    body.add_region(regions::barrier, Collective{});
}

const std::vector<const Policy*>& policies() {
  static const std::vector<const Policy*> all = [] {
    std::vector<const Policy*> found = policies_of_files();
    std::ranges::sort(found, {}, &Policy::order);
    return found;
  }();
  return all;
}

const Policy& policy(const std::string& name) {
  const auto found = std::ranges::find(policies(), name, &Policy::name);
  if (found != policies().end()) return **found;
  std::vector<std::string> names;
  for (const Policy* known : policies())
    names.push_back(known->name());
  throw InputError("policy", fmt::format("this finegrain does not know '{}'", name),
                   fmt::format("Use {}", fmt::join(names, ", ")));
}

const Policy& policy(const Run& run) {
  return policy(run.policy);
}

const Policy& usual_policy() {
  return **std::ranges::find_if(policies(), &Policy::is_usual);
}

std::vector<pattern::Parameter> policy_parameters() {
  std::vector<pattern::Parameter> all;
  for (const Policy* known : policies())
    for (const pattern::Parameter& parameter : known->parameters())
      if (std::ranges::find(all, parameter.name, &pattern::Parameter::name) == all.end())
        all.push_back(parameter);
  return all;
}

std::vector<pattern::Parameter> all_parameters() {
  std::vector<pattern::Parameter> all = pattern::pattern_parameters();
  std::ranges::move(policy_parameters(), std::back_inserter(all));
  return all;
}

Value setting_of(const Run& run, const std::string& name) {
  const std::vector<pattern::Parameter> own = policy(run).parameters();
  const auto parameter = std::ranges::find(own, name, &pattern::Parameter::name);
  assert(parameter != own.end() && parameter->usual);
  const auto given = run.policy_settings.find(name);
  if (given == run.policy_settings.end()) return *parameter->usual;
  const auto* number = std::get_if<std::int64_t>(&given->second);
  const auto* word = std::get_if<std::string>(&given->second);
  const bool is_known =
      parameter->words.empty()
          ? number != nullptr && *number >= parameter->least
          : word != nullptr && std::ranges::find(parameter->words, *word) != parameter->words.end();
  if (is_known) return given->second;
  throw InputError("policy",
                   parameter->words.empty()
                       ? fmt::format("{} is no whole number of {} or more, as {} needs", name,
                                     parameter->least, run.policy)
                       : fmt::format("{} is none of {}", name, fmt::join(parameter->words, ", ")),
                   "Give one that is");
}

Settings settings_of(const Run& run) {
  Settings all;
  for (const pattern::Parameter& parameter : policy(run).parameters()) {
    Value value = setting_of(run, parameter.name);
    if (parameter.is_said_if_usual || value != *parameter.usual) all[parameter.name] = std::move(value);
  }
  return all;
}

std::vector<std::vector<pattern::RankCounts>> counts_of(const pattern::Pattern& pattern,
                                                        std::span<const Run> runs,
                                                        std::span<const problem::Placement> placements,
                                                        int threads) {
  std::vector<std::vector<pattern::RankCounts>> all = pattern.counts(runs, placements, threads);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!all[i].empty()) policy(runs[i]).add_counts(pattern, runs[i], all[i]);
  return all;
}

Schedule make_schedule(const pattern::Pattern& pattern, const Run& run,
                       std::span<const pattern::RankCounts> counts) {
  check_variant(run);
  settings_of(run);  // checks those that were given
  return {run, policy(run).programs(pattern, run, counts)};
}

}  // namespace finegrain::policy
