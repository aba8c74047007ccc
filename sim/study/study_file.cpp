// SPDX-License-Identifier: MIT
#include "sim/study/study_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/study/axis_values.hpp"
#include "sim/study/study_axes.hpp"
#include "sim/study/toml_file.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::study {
namespace {

constexpr std::int64_t version_read = 1;

replay::EnergyOptions read_energy(const TomlFile& toml) {
  replay::EnergyOptions energy;
  const auto given = [&](const char* key) {
    return toml.root().contains(key) ? &toml.root().at(key) : nullptr;
  };
  if (const auto* value = given("waiting"))
    energy.waiting = replay::parse_waiting(toml.text(*value), toml.place(*value));
  if (const auto* value = given("count"))
    energy.counted = replay::parse_counted(toml.text(*value), toml.place(*value));
  if (const auto* value = given("ranks_per_socket")) energy.ranks_per_socket = toml.small_number(*value);
  return energy;
}

Axis axis_of(const TomlFile& toml, const toml::value& value) {
  const std::string name = toml.text(value);
  for (std::size_t axis = 0; axis < axis_count; ++axis) {
    const std::vector<std::string> names = names_of(static_cast<Axis>(axis));
    if (std::ranges::find(names, name) != names.end()) return static_cast<Axis>(axis);
  }
  toml.fail(value, fmt::format("'{}' is no axis. Name one of [axes]", name));
}

SimulationChoice read_simulate(const TomlFile& toml, const StudyFile& study) {
  using Kind = SimulationChoice::Kind;
  SimulationChoice choice;
  const bool has_closed_form = !study.pattern.empty();
  if (!has_closed_form) choice.kind = Kind::all;  // only a simulation gives an answer
  if (toml.root().contains("simulate")) {
    const toml::value& value = toml.root().at("simulate");
    const std::string text = toml.text(value);
    if (text == "all") {
      choice.kind = Kind::all;
    } else if (text.starts_with("best ")) {
      if (!has_closed_form)
        toml.fail(value, fmt::format("the best by closed form, which {} have none of. Write \"all\"",
                                     study.is_of_jobs() ? "jobs" : "recorded programs"));
      choice.kind = Kind::best;
      choice.best = parse_numbers(text.substr(5), toml.place(value)).front();
    } else if (text == "none") {
      choice.kind = Kind::none;
    } else {
      toml.fail(value,
                fmt::format("'{}' is no choice of points. Write \"all\", \"best 10\" or \"none\"", text));
    }
  }
  if (choice.kind != Kind::best && toml.root().contains("best_of_each"))
    toml.fail(toml.root().at("best_of_each"),
              "best_of_each, but no best are simulated. Write simulate = \"best 1\"");
  for (const toml::value& value : toml.list(toml.root(), "best_of_each"))
    choice.of_each.push_back(axis_of(toml, value));
  return choice;
}

/// Refuses keys that each job states itself, and keys about energy, which is not computed for jobs.
void refuse_keys_of_runs(const TomlFile& toml) {
  for (const char* const key : {"iterations", "threads"})
    if (toml.root().contains(key))
      toml.fail(toml.root().at(key), fmt::format("{}, but each job has its own --{}. Remove it", key, key));
  for (const char* const key : {"waiting", "count", "ranks_per_socket"})
    if (toml.root().contains(key))
      toml.fail(toml.root().at(key), fmt::format("{}, but no energy is computed of jobs. Remove it", key));
}

StudyFile read(const TomlFile& toml) {
  toml.check_keys(toml.root(),
                  {"version", "iterations", "threads", "compute_scale", "compute_scale_from", "oversubscribe",
                   "waiting", "count", "ranks_per_socket", "simulate", "best_of_each", "axes"});
  const toml::value& version = toml.require(toml.root(), "version");
  if (toml.number(version) != version_read) {
    toml.fail(version, fmt::format("version {} of the study file (this finegrain reads version {}). Use the "
                                   "finegrain that it was written for",
                                   toml.number(version), version_read));
  }
  const toml::value& axes = toml.require(toml.root(), "axes");
  if (!axes.is_table()) toml.fail(axes, "axes is no table. Write a line [axes], and the axes below it");
  std::vector<std::string_view> known{"ordering"};
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    std::ranges::move(names_of(static_cast<Axis>(axis)), std::back_inserter(names));
  known.insert(known.end(), names.begin(), names.end());
  toml.check_keys(axes, known);

  StudyFile study;
  study.file = toml.path();
  if (toml.root().contains("iterations")) study.iterations = toml.number(toml.root().at("iterations"));
  if (toml.root().contains("threads")) study.threads_per_rank = toml.small_number(toml.root().at("threads"));
  if (toml.root().contains("oversubscribe")) {
    const toml::value& value = toml.root().at("oversubscribe");
    if (!value.is_boolean()) toml.fail(value, "neither true nor false. Write oversubscribe = true");
    study.oversubscribe = value.as_boolean();
  }
  study.energy = read_energy(toml);
  read_axes(toml, axes, study);
  if (study.is_of_jobs()) {
    refuse_keys_of_runs(toml);
    study.iterations = 1;  // all jobs run once, as they are written
  }
  if (toml.root().contains("compute_scale")) {
    const toml::value& value = toml.root().at("compute_scale");
    if (!study.pattern.empty())
      toml.fail(value,
                "compute_scale, but only recorded programs have work of which the time is known. Remove it");
    study.compute_scale_place = toml.place(value) + ": compute_scale";
    study.compute_scale =
        value.is_string() ? platform::parse_compute_scales(value.as_string().str, study.compute_scale_place)
                          : platform::ComputeScales{.of_others = toml.fraction(value)};
  }
  if (toml.root().contains("compute_scale_from")) {
    for (const toml::value& value : toml.list(toml.root(), "compute_scale_from"))
      study.compute_scale_from.push_back((toml.path().parent_path() / toml.text(value)).string());
    const toml::value& value = toml.root().at("compute_scale_from");
    if (!study.is_of_programs() || toml.root().contains("compute_scale") ||
        study.compute_scale_from.size() != study.problems.size())
      toml.fail(value, fmt::format("{} of compute_scale_from. Give one for each trace, and no compute_scale",
                                   study.compute_scale_from.size()));
  }
  study.simulate = read_simulate(toml, study);
  study.points();  // refuses too many points before memory is allocated for them
  return study;
}

}  // namespace

std::size_t StudyFile::size(Axis axis) const {
  switch (axis) {
    case Axis::problem:
      return problems.size();
    case Axis::policy:
      return variants.size();
    case Axis::ranks_per_node:
      return ranks_per_node.size();
    case Axis::ranks:
      return ranks.size();
    case Axis::settings:
      return settings.size();
    case Axis::placement:
      return placements.size();
    case Axis::collective:
      return collectives.size();
    case Axis::platform:
      return platforms.size();
    case Axis::set:
      return changes.size();
  }
  return 0;
}

std::int64_t StudyFile::points() const {
  std::int64_t points = 1;
  for (std::size_t axis = 0; axis < axis_count; ++axis) {
    points *= static_cast<std::int64_t>(size(static_cast<Axis>(axis)));
    if (points > most_points) {
      throw InputError(
          file.string(),
          fmt::format("more than {} points (every value of an axis with every other)", most_points),
          "Leave out values, or make several studies");
    }
  }
  return points;
}

StudyFile read_study_file(const std::filesystem::path& file) {
  return read(TomlFile(file));
}

StudyFile read_study_text(const std::filesystem::path& file, const StudyText& text) {
  return read({file, text.text, text.flags});
}

}  // namespace finegrain::study
