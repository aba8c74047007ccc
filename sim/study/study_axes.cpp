// SPDX-License-Identifier: MIT
#include "sim/study/study_axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "kernels/problem/placement.hpp"
#include "sim/policy/policy.hpp"
#include "sim/study/axis_values.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::study {

std::vector<std::string> names_of(Axis axis) {
  std::vector<std::string> names;
  switch (axis) {
    case Axis::problem:
      for (const pattern::PatternKind* kind : pattern::pattern_kinds())
        names.push_back(kind->flag());
      names.insert(names.end(), {"mesh", "tets", "trace", "jobs"});
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

namespace {

/// The flag of the pattern whose matrices are made from meshes.
constexpr const char* flag_of_made = "matrix";

/// Adds a value, unless the list has it already.
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

/// The name that the file uses for the axis. @throws InputError if it uses none, or several
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

/// Adds a matrix to make, in a file beside the study file: "heart.msh" in order sbd becomes heart.sbd.fgm.
void add_to_make(StudyFile& study, const std::string& name, problem::MatrixSource source,
                 problem::RowOrder order) {
  source.order = order;
  const std::filesystem::path file =
      study.file.parent_path() / fmt::format("{}.{}.fgm", name, to_string(order));
  if (std::ranges::find(study.problems, file.string()) != study.problems.end()) return;
  study.problems.push_back(file.string());
  study.to_make.push_back({file, std::move(source)});
}

/// Adds each mesh in each ordering.
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

/// A recorded program runs unchanged, on as many ranks as it was recorded on.
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

/// Each value is a list of texts; a list that holds nothing but texts is one value.
void read_jobs(const TomlFile& toml, const toml::value& axes, StudyFile& study) {
  for (const Axis axis : {Axis::policy, Axis::ranks_per_node, Axis::ranks, Axis::settings, Axis::placement})
    for (const std::string& name : names_of(axis))
      if (axes.contains(name)) {
        const bool is_place = axis == Axis::placement || axis == Axis::ranks_per_node;
        toml.fail(axes.at(name),
                  fmt::format("{}, but {}. Remove it", name,
                              is_place ? "a job's ranks fill the nodes that it names" : "a job has its own"));
      }
  if (axes.contains("ordering")) toml.fail(axes.at("ordering"), "ordering, but a job has its own. Remove it");
  const std::vector<toml::value> given = toml.list(axes, "jobs");
  const auto is_text = [](const toml::value& value) { return value.is_string(); };
  const auto add_value = [&](const toml::value& at, const std::vector<toml::value>& texts) {
    JobsValue value{toml.place(at), {}};
    for (const toml::value& text : texts)
      value.texts.push_back(toml.text(text));
    if (std::ranges::find(study.jobs, value.texts, &JobsValue::texts) != study.jobs.end()) return;
    study.problems.push_back(fmt::format("{}", fmt::join(value.texts, " | ")));
    study.jobs.push_back(std::move(value));
  };
  if (std::ranges::all_of(given, is_text)) {
    add_value(axes.at("jobs"), given);
  } else {
    for (const toml::value& value : given) {
      if (!value.is_array() || value.as_array().empty())
        toml.fail(value,
                  "a value of jobs that is no list of texts. Write jobs = [[\"trace@nodes=0-3\", "
                  "\"other@nodes=4-7\"], [...]]");
      add_value(value, value.as_array());
    }
  }
  study.variants = {{}};
  study.ranks = {0};
}

bool is_zero(const toml::value& value) {
  return (value.is_integer() && value.as_integer() == 0) ||
         (value.is_string() && value.as_string().str == "0");
}

/// The values of one parameter. An empty value stands for its default.
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

/// Replaces each variant whose policy takes the parameter by one for each of the parameter's values.
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
  if (kind == "jobs") return read_jobs(toml, axes, study);
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
        toml.fail(value, fmt::format("{} a node (no node has). Use fewer", format_count(ranks, "rank")));
      add(study.ranks_per_node, std::optional(static_cast<int>(ranks)));
    }
  }
}

void read_ranks(const TomlFile& toml, const toml::value& axes, StudyFile& study) {
  read_ranks_per_node(toml, axes, study);
  if (study.pattern.empty()) {
    if (study.ranks_per_node.empty()) study.ranks_per_node = {std::nullopt};
    return;
  }
  const std::string unit = one_of(toml, axes, Axis::ranks);
  study.counts_nodes = unit == "nodes";
  if (study.ranks_per_node.empty()) study.ranks_per_node = {std::nullopt};
  std::size_t count = 0;
  for (const toml::value& value : toml.list(axes, unit))
    for (const std::int64_t ranks : numbers(toml, value, count))
      add(study.ranks, ranks);
}

void read_settings(const TomlFile& toml, const toml::value& axes, StudyFile& study) {
  study.settings = {{}};
  if (study.pattern.empty()) return;
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
  if (!study.pattern.empty())
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

}  // namespace

void read_axes(const TomlFile& toml, const toml::value& axes, StudyFile& study) {
  read_problems(toml, axes, study);
  read_ranks(toml, axes, study);
  read_settings(toml, axes, study);
  read_placements(toml, axes, study);
  read_collectives(toml, axes, study);
  read_platforms(toml, axes, study);
}

}  // namespace finegrain::study
