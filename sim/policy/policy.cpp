// SPDX-License-Identifier: MIT
#include "sim/policy/policy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "traces/io/input_error.hpp"

namespace finegrain {

// Made by CMake: each file NAME_policy.cpp of this folder defines a function NAME_policy().
std::vector<const Policy*> policies_of_files();

Formula Policy::formula(const Run& /*run*/, std::span<const RankCounts> /*counts*/,
                        ClosedForm /*form*/) const {
  assert(false);
  return {};
}

KernelProgram Policy::kernel(const Run& run) const {
  const bool is_upcxx = run.transfer != Transfer::two_sided;
  return {fmt::format("{}_{}_{}", run.problem.pattern, name(), is_upcxx ? "upcxx" : "mpi"), {}, is_upcxx};
}

void add_fences(Body& body, const Pattern& pattern) {
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
  throw InputError(
      fmt::format("policy: '{}' is none that this finegrain knows. Use {}", name, fmt::join(names, ", ")));
}

const Policy& policy(const Run& run) {
  return policy(run.policy);
}

const Policy& usual_policy() {
  return **std::ranges::find_if(policies(), &Policy::is_usual);
}

Schedule make_schedule(const Pattern& pattern, const Run& run, std::span<const RankCounts> counts) {
  check_variant(run);
  return {run, policy(run).programs(pattern, run, counts)};
}

}  // namespace finegrain
