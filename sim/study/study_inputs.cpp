// SPDX-License-Identifier: MIT
#include "sim/study/study_inputs.hpp"

#include "kernels/problem/matrix_file.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "sim/platform/compute_scales.hpp"
#include "sim/platform/cost_properties.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform/text_properties.hpp"
#include "sim/replay/platform_summary.hpp"
#include "sim/study/axis_values.hpp"
#include "sim/study/program_points.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::study {
namespace {

std::string digest_of(const platform::PlatformDocument& file) {
  return fmt::format("{:016x}", XXH3_64bits(file.text().data(), file.text().size()));
}

/// The text "name=value" for a property that is multiplied by a factor.
std::string scaled(const std::vector<platform::CostProperty>& properties, const std::string& name,
                   double factor, const std::string& place, const std::filesystem::path& file) {
  const auto property = std::ranges::find(properties, name, &platform::CostProperty::name);
  if (property == properties.end() || !property->value()) {
    throw InputError(place, fmt::format("{}: {} has no {} (a factor needs one)", name, file.string(), name),
                     "Give a value");
  }
  if (*property->value() == 0)
    throw InputError(place,
                     fmt::format("{}: it is 0 for {}, and so is every multiple of it", name, file.string()),
                     "Give a value");
  const char* unit = property->unit == platform::CostUnit::bandwidth ? "Bps"
                     : property->unit == platform::CostUnit::time    ? "s"
                                                                     : "B";
  return fmt::format("{}={}{}", name, *property->value() * factor, unit);
}

ChangedPlatform changed_platform(const std::filesystem::path& file, const PlatformChange& change) {
  ChangedPlatform changed;
  std::vector<std::string> overrides;
  const auto& texts = platform::text_property_names();
  std::vector<platform::CostProperty> properties = platform::read_cost_properties(file, {});
  for (const auto& [name, value] : change.values) {
    const std::string where = fmt::format("{}: {}", change.place, name);
    changed.changes += fmt::format("{}{}={}", changed.changes.empty() ? "" : " ", name, value);
    if (std::ranges::find(texts, name) != texts.end()) {
      overrides.push_back(fmt::format("{}={}", name, value));
      continue;
    }
    const double factor = parse_factor(value, where);
    if (name == "link_bandwidth" || name == "link_latency") {
      if (factor == 0)
        throw InputError(where, fmt::format("'{}' is no factor (links differ)", value),
                         "Write it like x2 or /10");
      (name == "link_bandwidth" ? changed.links.bandwidth : changed.links.latency) = factor;
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
    changed.platform = platform::read_platform(file, overrides);
  } catch (const InputError& error) {
    if (change.values.empty()) throw;
    throw InputError(change.place, error.what());
  }
  return changed;
}

/// A function that counts the hops once for each number of nodes, and keeps them.
graph::HopsOf hops_on(const std::filesystem::path& file) {
  return [file, known = std::make_shared<std::map<int, graph::Hops>>()](int nodes) {
    const auto found = known->find(nodes);
    if (found != known->end()) return found->second;
    return known->emplace(nodes, replay::hops_between_nodes(file, nodes)).first->second;
  };
}

}  // namespace

std::vector<std::string> make_matrices(const StudyFile& study,
                                       const std::function<void(const std::filesystem::path&)>& making) {
  std::vector<std::string> notes;
  const auto is_there = [](const MatrixToMake& wanted) {
    if (!std::filesystem::exists(wanted.file)) return false;
    const std::filesystem::path& mesh = wanted.source.input;
    return mesh.empty() || !std::filesystem::exists(mesh) ||
           std::filesystem::last_write_time(mesh) <= std::filesystem::last_write_time(wanted.file);
  };
  for (const MatrixToMake& wanted : study.to_make) {
    if (is_there(wanted)) continue;
    making(wanted.file);
    problem::MadeMatrix made = make_matrix(wanted.source);
    write_matrix(wanted.file, made.matrix.view(), made.description);
    for (std::string& note : made.notes)
      if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

std::vector<ChangedPlatform> open_platforms(const StudyFile& study) {
  std::vector<ChangedPlatform> platforms;
  const std::vector<std::string> names = platform::names_of_files(study.platforms);
  for (std::size_t number = 0; number < study.platforms.size(); ++number) {
    const std::filesystem::path& file = study.platforms[number];
    const platform::PlatformDocument kept(file);
    const std::string digest = digest_of(kept);
    const platform::PlatformFacts facts = platform::platform_facts(file);
    const replay::PlatformSummary summary = replay::summarize_platform(file);
    const graph::HopsOf hops_of = hops_on(file);
    for (const PlatformChange& change : study.changes) {
      ChangedPlatform& changed = platforms.emplace_back(changed_platform(file, change));
      changed.platform.name = names[number];
      platform::set_compute_scales(changed.platform, study.compute_scale, study.compute_scale_place);
      if (const replay::RouteSummary* first = summary.first_route()) {
        replay::RouteSummary route = *first;
        for (replay::WaySummary* way : {&*route.there, &*route.back}) {
          way->latency_s *= changed.links.latency;
          way->bandwidth_bytes_per_s *= changed.links.bandwidth;
        }
        changed.derived = derive_remote_costs(changed.platform, route);
      }
      changed.facts = facts;
      changed.digest = digest;
      changed.hosts = summary.hosts;
      changed.cores_per_host = summary.cores_per_host;
      changed.hops_of = hops_of;
    }
  }
  return platforms;
}

std::vector<std::string> derived_notes(std::span<const Run> runs,
                                       std::span<const ChangedPlatform> platforms) {
  std::vector<std::string> notes;
  if (std::ranges::none_of(runs, [](const Run& run) { return run.ranks > run.ranks_per_node; })) return notes;
  for (const ChangedPlatform& changed : platforms) {
    for (const std::string& sentence : changed.derived)
      if (std::ranges::find(notes, sentence) == notes.end()) notes.push_back(sentence);
  }
  return notes;
}

namespace {

void open_jobs(const StudyFile& study, const JobsReader& reader, StudyInputs& inputs) {
  if (!reader.open || !reader.prepare)
    throw InputError(study.file.string(), "its axis is jobs, whose texts cannot be read here",
                     "Run it by finegrain study run");
  inputs.jobs_reader = reader;
  for (const JobsValue& value : study.jobs)
    inputs.jobs.push_back(reader.open(value));
  if (std::ranges::any_of(inputs.jobs, &StudyJobs::has_programs)) return;
  const char* const unused = study.collectives != std::vector<std::string>{""}  ? "collective"
                             : study.compute_scale != platform::ComputeScales{} ? "compute_scale"
                                                                                : nullptr;
  if (unused != nullptr)
    throw InputError(
        study.file.string(),
        fmt::format("{}, but no job is a recorded program of any kind (it changes only those)", unused),
        "Remove it");
}

}  // namespace

std::vector<std::string> notes_of_problems(const StudyInputs& inputs) {
  std::vector<std::string> notes;
  const auto add = [&](std::string note) {
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  };
  for (const auto& problem : inputs.problems)
    for (const std::string& note : problem->notes())
      add(fmt::format("{}{}{}", problem->name(), problem->name().empty() ? "" : ": ", note));
  for (const StudyJobs& jobs : inputs.jobs)
    for (const std::string& note : jobs.notes)
      add(note);
  return notes;
}

StudyInputs open_inputs(const StudyFile& study, const JobsReader& jobs) {
  StudyInputs inputs;
  if (study.is_of_jobs()) {
    open_jobs(study, jobs, inputs);
    inputs.platforms = open_platforms(study);
    return inputs;
  }
  for (const std::string& problem : study.problems) {
    if (study.is_of_programs()) {
      const std::size_t number = inputs.programs.size();
      inputs.programs.push_back(open_program(
          problem, number < study.compute_scale_from.size() ? study.compute_scale_from[number] : ""));
    } else {
      inputs.problems.push_back(pattern::pattern_kind(study.pattern).open(problem, study.pattern));
    }
  }
  inputs.platforms = open_platforms(study);
  return inputs;
}

}  // namespace finegrain::study
