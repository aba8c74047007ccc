// SPDX-License-Identifier: MIT
#include "sim/study/study_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "kernels/problem/placement.hpp"
#include "sim/policy/policy.hpp"
#include "sim/study/axis_values.hpp"
#include "sim/study/toml_file.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::study {
namespace {

constexpr std::int64_t version_read = 1;

/// Of the collective operations: the platform's MPI library chooses.
constexpr const char* library_choice = "default";

/// The file's matrix is made of a mesh.
constexpr const char* flag_of_made = "matrix";

/// Of several names, a file uses one: they are of other units or patterns.
std::vector<std::string> names_of(Axis axis) {
  std::vector<std::string> names;
  switch (axis) {
    case Axis::problem:
      for (const pattern::PatternKind* kind : pattern::pattern_kinds())
        names.push_back(kind->flag());
      names.insert(names.end(), {"mesh", "tets", "trace"});
      return names;
    case Axis::policy:
      names.emplace_back("policy");
      for (const pattern::Parameter& parameter : policy::policy_parameters())
        if (parameter.is_axis) names.push_back(parameter.name);
      return names;
    case Axis::ranks_per_node:
      return {"ranks_per_node"};
    case Axis::ranks:
      return {"ranks", "nodes"};
    case Axis::settings:
      for (const pattern::Parameter& parameter : pattern::pattern_parameters())
        if (parameter.is_axis) names.push_back(parameter.name);
      return names;
    case Axis::placement:
      return {"placement"};
    case Axis::collective:
      return {"collective"};
    case Axis::platform:
      return {"platform"};
    case Axis::set:
      return {"set"};
  }
  return {};
}

/// A value that comes twice counts once.
template <class Value>
void add(std::vector<Value>& list, const Value& value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

/// @param of_axis  how many numbers the axis has so far
std::vector<std::int64_t> numbers(const TomlFile& toml, const toml::value& value, std::size_t& of_axis) {
  const auto found = value.is_string() ? parse_numbers(value.as_string().str, toml.place(value))
                                       : std::vector{toml.number(value)};
  of_axis += found.size();
  if (of_axis > most_values)
    toml.fail(value, fmt::format("more than {} numbers on one axis. Give a step", most_values));
  return found;
}

/// The one of the axis's names that the file uses.
std::string one_of(const TomlFile& toml, const toml::value& axes, Axis axis) {
  std::vector<std::string> names;
  std::string used;
  for (const std::string& name : names_of(axis)) {
    names.push_back(name);
    if (!axes.contains(name)) continue;
    if (!used.empty()) toml.fail(axes.at(name), fmt::format("both {} and {}. Keep one", used, name));
    used = name;
  }
  if (used.empty())
    toml.fail(axes, fmt::format("none of {} (a study needs one). Add it", fmt::join(names, ", ")));
  return used;
}

/// Beside the study file: "heart.msh" in order sbd is heart.sbd.fgm.
void add_to_make(StudyFile& study, const std::string& name, problem::MatrixSource source,
                 problem::RowOrder order) {
  source.order = order;
  const std::filesystem::path file =
      study.file.parent_path() / fmt::format("{}.{}.fgm", name, to_string(order));
  if (std::ranges::find(study.problems, file.string()) != study.problems.end()) return;
  study.problems.push_back(file.string());
  study.to_make.push_back({file, std::move(source)});
}

/// Each mesh in each ordering.
void read_meshes(const TomlFile& toml, const toml::value& axes, const std::string& kind, StudyFile& study) {
  std::vector<problem::RowOrder> orders;
  for (const toml::value& value : toml.list(axes, "ordering")) {
    try {
      add(orders, problem::parse_row_order(toml.text(value)));
    } catch (const InputError& error) {
      toml.fail(value, error.what());
    }
  }
  if (orders.empty()) orders = {problem::RowOrder::sbd};
  std::size_t count = 0;
  for (const toml::value& value : toml.list(axes, kind)) {
    if (kind == "mesh") {
      const std::filesystem::path mesh = toml.path().parent_path() / toml.text(value);
      for (const problem::RowOrder order : orders)
        add_to_make(study, mesh.stem().string(), {.input = mesh, .order = {}}, order);
      continue;
    }
    for (const std::int64_t tets : numbers(toml, value, count))
      for (const problem::RowOrder order : orders)
        add_to_make(study, fmt::format("ventricle-{}", tets), {.tets = tets, .input = {}, .order = {}},
                    order);
  }
}

/// A recorded program runs on as many ranks as it was recorded on, and as it is.
void read_programs(const TomlFile& toml, const toml::value& axes, StudyFile& study) {
  for (const Axis axis : {Axis::policy, Axis::ranks, Axis::settings})
    for (const std::string& name : names_of(axis))
      if (axes.contains(name))
        toml.fail(axes.at(name), fmt::format("{}, but a trace has its own. Remove it", name));
  if (axes.contains("ordering"))
    toml.fail(axes.at("ordering"), "ordering, but a trace has no rows. Remove it");
  for (const toml::value& value : toml.list(axes, "trace"))
    add(study.problems, (toml.path().parent_path() / toml.text(value)).string());
  study.variants = {{}};
  study.ranks = {0};
}

bool is_zero(const toml::value& value) {
  return (value.is_integer() && value.as_integer() == 0) ||
         (value.is_string() && value.as_string().str == "0");
}

/// The values of one parameter; an empty one is its default.
std::vector<std::optional<Value>> values_of(const TomlFile& toml, const toml::value& axes,
                                            const pattern::Parameter& parameter) {
  std::vector<std::optional<Value>> values;
  std::size_t count = 0;
  for (const toml::value& value : toml.list(axes, parameter.name)) {
    if (value.is_string() && value.as_string().str == "auto") {
      add(values, std::optional<Value>());
    } else if (parameter.words.empty() && parameter.least == 0 && is_zero(value)) {
      add(values, std::optional<Value>(0));
    } else if (parameter.words.empty()) {
      for (const std::int64_t number : numbers(toml, value, count))
        add(values, std::optional<Value>(number));
    } else {
      add(values, std::optional(parse_value(parameter, toml.text(value), toml.place(value))));
    }
  }
  if (values.empty()) values = {std::nullopt};
  return values;
}

/// Each variant whose policy takes the parameter, with each of its values.
void vary(const TomlFile& toml, const toml::value& axes, const pattern::Parameter& parameter,
          std::vector<policy::Variant>& variants) {
  std::vector<policy::Variant> varied;
  bool is_taken = false;
  for (const policy::Variant& variant : variants) {
    const std::vector<pattern::Parameter> own = policy::policy(variant.policy).parameters();
    if (std::ranges::find(own, parameter.name, &pattern::Parameter::name) == own.end()) {
      add(varied, variant);
      continue;
    }
    is_taken = true;
    for (const std::optional<Value>& value : values_of(toml, axes, parameter)) {
      policy::Variant with_it = variant;
      if (value) with_it.settings[parameter.name] = *value;
      add(varied, with_it);
    }
  }
  if (!is_taken)
    toml.fail(axes.at(parameter.name),
              fmt::format("no policy of the study has {}. Remove it", parameter.name));
  variants = std::move(varied);
}

void read_problems(const TomlFile& toml, const toml::value& axes, StudyFile& study) {
  const std::string kind = one_of(toml, axes, Axis::problem);
  if (kind == "trace") return read_programs(toml, axes, study);
  const bool made = kind == "mesh" || kind == "tets";
  const pattern::PatternKind& pattern = *pattern::pattern_of_flag(made ? flag_of_made : kind);
  study.pattern = pattern.name();
  if (!made && axes.contains("ordering"))
    toml.fail(axes.at("ordering"), fmt::format("ordering, but {} has its order. Give a mesh or tets", kind));
  if (made) read_meshes(toml, axes, kind, study);
  for (const toml::value& value : made ? std::vector<toml::value>() : toml.list(axes, kind)) {
    const std::string text = toml.text(value);
    if (!pattern.is_file()) pattern.open(text, toml.place(value));
    add(study.problems, pattern.is_file() ? (toml.path().parent_path() / text).string() : text);
  }
  for (const toml::value& value : toml.list(axes, "policy"))
    add(study.variants, parse_variant(toml.text(value), pattern, toml.place(value)));
  if (study.variants.empty())
    study.variants = {parse_variant(policy::usual_policy().name(), pattern, toml.place(axes))};
  for (const pattern::Parameter& parameter : policy::policy_parameters())
    if (parameter.is_axis && axes.contains(parameter.name)) vary(toml, axes, parameter, study.variants);
}

void read_ranks_per_node(const TomlFile& toml, const toml::value& axes, StudyFile& study) {
  std::size_t count = 0;
  for (const toml::value& value : toml.list(axes, "ranks_per_node")) {
    for (const std::int64_t ranks : numbers(toml, value, count)) {
      if (ranks > problem::most_ranks)
        toml.fail(value, fmt::format("{} ranks a node (no node has). Use fewer", ranks));
      add(study.ranks_per_node, std::optional(static_cast<int>(ranks)));
    }
  }
}

void read_ranks(const TomlFile& toml, const toml::value& axes, StudyFile& study) {
  read_ranks_per_node(toml, axes, study);
  if (study.is_of_programs()) {
    if (study.ranks_per_node.empty()) study.ranks_per_node = {std::nullopt};
    return;
  }
  const std::string unit = one_of(toml, axes, Axis::ranks);
  study.counts_nodes = unit == "nodes";
  if (study.counts_nodes && study.ranks_per_node.empty())
    toml.fail(axes.at(unit), "nodes, but no ranks_per_node. Add it, or give ranks");
  if (study.ranks_per_node.empty()) study.ranks_per_node = {std::nullopt};
  std::size_t count = 0;
  for (const toml::value& value : toml.list(axes, unit))
    for (const std::int64_t ranks : numbers(toml, value, count))
      add(study.ranks, ranks);
}

void read_settings(const TomlFile& toml, const toml::value& axes, StudyFile& study) {
  study.settings = {{}};
  if (study.is_of_programs()) return;
  const std::vector<pattern::Parameter> own = pattern::pattern_kind(study.pattern).parameters();
  for (const std::string& name : names_of(Axis::settings)) {
    if (axes.contains(name) && std::ranges::find(own, name, &pattern::Parameter::name) == own.end())
      toml.fail(axes.at(name), fmt::format("{} has no {}. Remove it", study.pattern, name));
  }
  for (const pattern::Parameter& parameter : own) {
    if (!parameter.is_axis) continue;
    std::vector<Settings> with_it;
    for (const Settings& without : study.settings) {
      for (const std::optional<Value>& value : values_of(toml, axes, parameter)) {
        with_it.push_back(without);
        if (value) with_it.back()[parameter.name] = *value;
      }
    }
    study.settings = std::move(with_it);
  }
}

void read_placements(const TomlFile& toml, const toml::value& axes, StudyFile& study) {
  for (const toml::value& value : toml.list(axes, "placement"))
    add(study.placements, graph::parse_placement_rule(toml.text(value), toml.place(value)));
  if (study.placements.empty()) study.placements = {graph::PlacementRule::block};
}

void read_collectives(const TomlFile& toml, const toml::value& axes, StudyFile& study) {
  if (!axes.contains("collective")) return;
  if (!study.is_of_programs())
    toml.fail(axes.at("collective"),
              "collective, but only recorded programs have collective operations. Remove it");
  study.collectives.clear();
  for (const toml::value& value : toml.list(axes, "collective")) {
    const std::string text = toml.text(value);
    try {
      if (text != library_choice) parse_collectives(text);
    } catch (const InputError& error) {
      toml.fail(value, error.what());
    }
    add(study.collectives, text == library_choice ? "" : text);
  }
}

void read_platforms(const TomlFile& toml, const toml::value& axes, StudyFile& study) {
  toml.require(axes, "platform");
  for (const toml::value& value : toml.list(axes, "platform"))
    add(study.platforms, toml.path().parent_path() / toml.text(value));
  for (const toml::value& value : toml.list(axes, "set")) {
    if (!value.is_table()) toml.fail(value, "not a table. Write it like {} or {memory_bandwidth = \"x2\"}");
    PlatformChange change{toml.place(value), {}};
    for (const auto& [name, number] : value.as_table())
      change.values.emplace(name, toml.text(number));
    if (std::ranges::find(study.changes, change.values, &PlatformChange::values) == study.changes.end())
      study.changes.push_back(std::move(change));
  }
  if (study.changes.empty()) study.changes = {{toml.path().string(), {}}};
}

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
  if (study.is_of_programs()) choice.kind = Kind::all;  // there is nothing else to know of them
  if (toml.root().contains("simulate")) {
    const toml::value& value = toml.root().at("simulate");
    const std::string text = toml.text(value);
    if (text == "all") {
      choice.kind = Kind::all;
    } else if (text.starts_with("best ")) {
      if (study.is_of_programs())
        toml.fail(value, "the best by closed form, which recorded programs have none of. Write \"all\"");
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

StudyFile read(const TomlFile& toml) {
  toml.check_keys(toml.root(), {"version", "iterations", "threads", "compute_scale", "oversubscribe",
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
  read_problems(toml, axes, study);
  read_ranks(toml, axes, study);
  read_settings(toml, axes, study);
  if (toml.root().contains("compute_scale")) {
    const toml::value& value = toml.root().at("compute_scale");
    if (!study.is_of_programs())
      toml.fail(value,
                "compute_scale, but only recorded programs have work of which the time is known. Remove it");
    study.compute_scale = toml.fraction(value);
  }
  read_placements(toml, axes, study);
  read_collectives(toml, axes, study);
  read_platforms(toml, axes, study);
  study.simulate = read_simulate(toml, study);
  study.points();  // before memory is asked for so many
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
