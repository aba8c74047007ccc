// SPDX-License-Identifier: MIT
#include "sim/collectives/algorithm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "traces/io/input_error.hpp"

namespace finegrain::collectives {

// Made by CMake: each file NAME_family.cpp of this folder defines a function NAME_family().
std::vector<const Family*> families_of_files();

namespace {

using Algorithms = std::vector<const Algorithm*>;

std::array<Algorithms, collective_kinds> sorted_by_kind() {
  std::array<Algorithms, collective_kinds> sorted;
  for (const Family* family : families_of_files())
    for (const Algorithm* one : family->algorithms)
      for (const CollectiveKind kind : one->kinds())
        sorted[static_cast<std::size_t>(kind)].push_back(one);
  for (Algorithms& of_kind : sorted)
    std::ranges::sort(of_kind, {}, &Algorithm::name);
  return sorted;
}

const Algorithms& algorithms_of(CollectiveKind kind) {
  static const std::array<Algorithms, collective_kinds> sorted = sorted_by_kind();
  return sorted[static_cast<std::size_t>(kind)];
}

}  // namespace

const Algorithm& algorithm(CollectiveKind kind, std::string_view name) {
  const Algorithms& known = algorithms_of(kind);
  const auto found = std::ranges::find(known, name, &Algorithm::name);
  if (found != known.end()) return **found;
  throw InputError("", fmt::format("there is no algorithm '{}' for {}", name, to_string(kind)),
                   fmt::format("There are: {}", fmt::join(algorithm_names(kind), ", ")));
}

std::vector<std::string_view> algorithm_names(CollectiveKind kind) {
  std::vector<std::string_view> names;
  for (const Algorithm* one : algorithms_of(kind))
    names.push_back(one->name());
  return names;
}

std::int64_t rounds(const Call& call, const Choice& choice) {
  const Choice effective = choice.algorithm->effective(call, choice);
  return effective.algorithm->rounds(call, effective);
}

void round(std::int64_t number, const Call& call, const Choice& choice, std::vector<Operation>& out) {
  const Choice effective = choice.algorithm->effective(call, choice);
  effective.algorithm->round(number, call, effective, out);
}

std::vector<Operation> expand(const Call& call, const Choice& choice) {
  std::vector<Operation> all;
  const Choice effective = choice.algorithm->effective(call, choice);
  const std::int64_t count = effective.algorithm->rounds(call, effective);
  for (std::int64_t number = 0; number < count; ++number)
    effective.algorithm->round(number, call, effective, all);
  return all;
}

}  // namespace finegrain::collectives
