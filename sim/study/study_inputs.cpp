// SPDX-License-Identifier: MIT
#include "sim/study/study_inputs.hpp"

#include "kernels/problem/matrix_file.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "sim/platform/cost_properties.hpp"
#include "sim/replay/platform_view.hpp"
#include "sim/study/axis_values.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"

namespace finegrain::study {
namespace {

std::string digest_of(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  return fmt::format("{:016x}", XXH3_64bits(mapped.bytes().data(), mapped.bytes().size()));
}

/// "name=value" of a property times a factor.
std::string scaled(const std::vector<platform::CostProperty>& properties, const std::string& name,
                   double factor, const std::string& place, const std::filesystem::path& file) {
  const auto property = std::ranges::find(properties, name, &platform::CostProperty::name);
  if (property == properties.end() || !property->value()) {
    throw InputError(place, fmt::format("{}: {} has no {} (a factor needs one)", name, file.string(), name),
                     "Give a value");
  }
  const char* unit = property->unit == platform::CostUnit::bandwidth ? "Bps"
                     : property->unit == platform::CostUnit::time    ? "s"
                                                                     : "B";
  return fmt::format("{}={}{}", name, *property->value() * factor, unit);
}

StudyMachine machine_of(const std::filesystem::path& file, const PlatformChange& change) {
  StudyMachine machine;
  std::vector<std::string> overrides;
  std::vector<platform::CostProperty> properties = platform::read_cost_properties(file, {});
  for (const auto& [name, value] : change.values) {
    const std::string where = fmt::format("{}: {}", change.place, name);
    machine.changes += fmt::format("{}{}={}", machine.changes.empty() ? "" : " ", name, value);
    const double factor = parse_factor(value, where);
    if (name == "link_bandwidth" || name == "link_latency") {
      if (factor == 0)
        throw InputError(where, fmt::format("'{}' is no factor (links differ)", value),
                         "Write it like x2 or /10");
      (name == "link_bandwidth" ? machine.link_bandwidth_factor : machine.link_latency_factor) = factor;
      continue;
    }
    if (std::ranges::find(properties, name, &platform::CostProperty::name) == properties.end()) {
      throw InputError(change.place, fmt::format("{} is no number of a platform", name),
                       "docs/studies.md lists them");
    }
    overrides.push_back(factor == 0 ? fmt::format("{}={}", name, value)
                                    : scaled(properties, name, factor, change.place, file));
  }
  try {
    machine.platform = platform::read_platform(file, overrides);
  } catch (const InputError& error) {
    if (change.values.empty()) throw;
    throw InputError(change.place, error.what());
  }
  return machine;
}

}  // namespace

void make_matrices(const StudyFile& study, const std::function<void(const std::filesystem::path&)>& making) {
  const auto is_there = [](const MatrixToMake& wanted) {
    if (!std::filesystem::exists(wanted.file)) return false;
    const std::filesystem::path& mesh = wanted.source.input;
    return mesh.empty() || !std::filesystem::exists(mesh) ||
           std::filesystem::last_write_time(mesh) <= std::filesystem::last_write_time(wanted.file);
  };
  for (const MatrixToMake& wanted : study.to_make) {
    if (is_there(wanted)) continue;
    making(wanted.file);
    const problem::MadeMatrix made = make_matrix(wanted.source);
    write_matrix(wanted.file, made.matrix.view(), made.description);
  }
}

std::vector<StudyMachine> open_machines(const StudyFile& study) {
  std::vector<StudyMachine> machines;
  for (const std::filesystem::path& file : study.platforms) {
    const std::string digest = digest_of(file);
    const platform::PlatformFacts facts = platform::platform_facts(file);
    const replay::PlatformView view = replay::view_platform(file);
    for (const PlatformChange& change : study.changes) {
      StudyMachine& machine = machines.emplace_back(machine_of(file, change));
      machine.facts = facts;
      machine.digest = digest;
      machine.hosts = view.hosts;
      machine.cores_per_host = view.cores_per_host;
    }
  }
  return machines;
}

StudyInputs open_inputs(const StudyFile& study) {
  StudyInputs inputs;
  for (const std::string& problem : study.problems)
    inputs.problems.push_back(pattern::pattern_kind(study.pattern).open(problem, study.pattern));
  inputs.machines = open_machines(study);
  return inputs;
}

}  // namespace finegrain::study
