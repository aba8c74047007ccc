// SPDX-License-Identifier: MIT
#include "sim/study/study_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>
#include <toml.hpp>

#include "kernels/problem/heat_grid.hpp"
#include "sim/study/axis_values.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"

namespace finegrain {
namespace {

constexpr std::int64_t version_read = 1;
constexpr std::size_t most_bytes = 1 << 20;
constexpr int deepest = 32;  // brackets within brackets: the parser calls itself for each

/// In the order of Axis; two names say in which unit it is given.
constexpr std::array<std::array<std::string_view, 2>, axis_count> axis_names{{{"matrix", "heat"},
                                                                              {"policy", ""},
                                                                              {"ranks_per_node", ""},
                                                                              {"ranks", "nodes"},
                                                                              {"blocksize", ""},
                                                                              {"platform", ""},
                                                                              {"set", ""}}};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file), root_(parse()) {}

  StudyFile read() {
    check_keys(root_, {"version", "iterations", "threads", "simulate", "best_of_each", "axes"});
    StudyFile study;
    study.file = file_;
    if (const std::int64_t version = number(require(root_, "version")); version != version_read) {
      fail(root_.at("version"), fmt::format("version {} of the study file (this finegrain reads version {}). "
                                            "Use the finegrain that it was written for",
                                            version, version_read));
    }
    const toml::value& axes = require(root_, "axes");
    if (!axes.is_table()) fail(axes, "axes is no table. Write a line [axes], and the axes below it");
    std::vector<std::string_view> known;
    for (const auto& names : axis_names)
      for (const std::string_view name : names)
        if (!name.empty()) known.push_back(name);
    check_keys(axes, known);
    if (root_.contains("iterations")) study.iterations = number(root_.at("iterations"));
    if (root_.contains("threads"))
      study.threads_per_rank = small(number(root_.at("threads")), root_.at("threads"));
    read_problems(axes, study);
    read_layouts(axes, study);
    read_platforms(axes, study);
    read_simulate(study);
    return study;
  }

 private:
  toml::value parse() const {
    const MappedFile mapped(file_);
    const std::string text(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size());
    int depth = 0;
    for (const char c : text) {
      depth += static_cast<int>(c == '[' || c == '{') - static_cast<int>(c == ']' || c == '}');
      if (depth > deepest || text.size() > most_bytes)
        throw InputError(
            fmt::format("{}: no study file (too large or too deep). See docs/studies.md", file_.string()));
    }
    std::istringstream in(text);
    try {
      return toml::parse(in, file_.string());
    } catch (const toml::exception& error) {
      // "[error] toml::parse_x: the problem", then lines that show the place.
      std::string reason = error.what();
      reason = reason.substr(0, reason.find('\n'));
      if (const std::size_t colon = reason.find(": "); colon != std::string::npos) reason.erase(0, colon + 2);
      throw InputError(fmt::format("{}:{}: malformed TOML ({}). See docs/studies.md", file_.string(),
                                   error.location().line(), reason));
    } catch (const std::exception& error) {
      throw InputError(
          fmt::format("{}: malformed TOML ({}). See docs/studies.md", file_.string(), error.what()));
    }
  }

  std::string place(const toml::value& value) const {
    return fmt::format("{}:{}", file_.string(), value.location().line());
  }
  [[noreturn]] void fail(const toml::value& value, const std::string& problem) const {
    throw InputError(fmt::format("{}: {}", place(value), problem));
  }

  void check_keys(const toml::value& table, const std::vector<std::string_view>& known) const {
    const toml::value* first_unknown = nullptr;
    std::string name;
    for (const auto& [key, value] : table.as_table()) {
      if (std::ranges::find(known, key) != known.end()) continue;
      if (first_unknown != nullptr && first_unknown->location().line() <= value.location().line()) continue;
      first_unknown = &value;
      name = key;
    }
    if (first_unknown != nullptr)
      fail(*first_unknown,
           fmt::format("unknown '{}' (known are {}). Correct its name", name, fmt::join(known, ", ")));
  }

  const toml::value& require(const toml::value& table, const std::string& key) const {
    if (!table.contains(key)) {
      const std::string where = table.location().line() > 1 ? place(table) : file_.string();
      throw InputError(
          fmt::format("{}: no {} (a study needs it). Add it; finegrain study example shows how", where, key));
    }
    return table.at(key);
  }

  std::int64_t number(const toml::value& value) const {
    if (!value.is_integer() || value.as_integer() < 1)
      fail(value, "not a whole number of 1 or more. Write it like 16");
    return value.as_integer();
  }
  std::string text(const toml::value& value) const {
    if (!value.is_string() || value.as_string().str.empty()) fail(value, "not a text. Write it in quotes");
    return value.as_string().str;
  }
  int small(std::int64_t number, const toml::value& value) const {
    if (number > std::numeric_limits<int>::max())
      fail(value, fmt::format("{} is too large. Use a smaller number", number));
    return static_cast<int>(number);
  }

  /// The values of an axis: a list, or one value for a list of one. None where the file lacks the axis.
  std::vector<toml::value> values(const toml::value& axes, const std::string& axis) const {
    if (!axes.contains(axis)) return {};
    const toml::value& given = axes.at(axis);
    if (!given.is_array()) return {given};
    if (given.as_array().empty())
      fail(given, fmt::format("{} is empty (a grid with no points). Give a value", axis));
    return given.as_array();
  }

  /// A value that comes twice counts once.
  template <class Value>
  static void add(std::vector<Value>& list, const Value& value) {
    if (std::ranges::find(list, value) == list.end()) list.push_back(value);
  }

  std::vector<std::int64_t> numbers(const toml::value& value) const {
    if (value.is_string()) return parse_numbers(value.as_string().str, place(value));
    return {number(value)};
  }

  /// The one of two names that the file uses.
  std::string either(const toml::value& axes, Axis axis) const {
    const auto& [first, second] = axis_names[static_cast<std::size_t>(axis)];
    const std::string a(first);
    const std::string b(second);
    if (axes.contains(a) && axes.contains(b)) fail(axes.at(b), fmt::format("both {} and {}. Keep one", a, b));
    if (!axes.contains(a) && !axes.contains(b))
      fail(axes, fmt::format("neither {} nor {} (a study needs one). Add it", a, b));
    return axes.contains(b) ? b : a;
  }

  void read_problems(const toml::value& axes, StudyFile& study) const {
    const std::string kind = either(axes, Axis::problem);
    study.heat = kind == "heat";
    for (const toml::value& value : values(axes, kind)) {
      if (study.heat) parse_grid(text(value), place(value));
      add(study.problems, study.heat ? text(value) : (file_.parent_path() / text(value)).string());
    }
    const std::vector<Program> programs = study.heat ? heat_programs() : spmv_programs();
    for (const toml::value& value : values(axes, "policy"))
      add(study.programs, parse_program(text(value), programs, place(value)));
    if (study.programs.empty()) study.programs = {parse_program("condensed", programs, place(axes))};
  }

  void read_layouts(const toml::value& axes, StudyFile& study) const {
    for (const toml::value& value : values(axes, "ranks_per_node"))
      for (const std::int64_t ranks : numbers(value))
        add(study.ranks_per_node, std::optional(small(ranks, value)));
    const std::string unit = either(axes, Axis::ranks);
    study.counts_nodes = unit == "nodes";
    if (study.counts_nodes && study.ranks_per_node.empty())
      fail(axes.at(unit), "nodes, but no ranks_per_node. Add it, or give ranks");
    if (study.ranks_per_node.empty()) study.ranks_per_node = {std::nullopt};
    for (const toml::value& value : values(axes, unit))
      for (const std::int64_t ranks : numbers(value))
        add(study.ranks, ranks);
    if (study.heat && axes.contains("blocksize"))
      fail(axes.at("blocksize"), "heat has no blocksize (a rank has one part of the grid). Remove it");
    for (const toml::value& value : values(axes, "blocksize")) {
      if (value.is_string() && value.as_string().str == "auto") {
        add(study.block_sizes, std::optional<std::int64_t>());
        continue;
      }
      for (const std::int64_t size : numbers(value))
        add(study.block_sizes, std::optional(size));
    }
    if (study.block_sizes.empty()) study.block_sizes = {std::nullopt};
  }

  void read_platforms(const toml::value& axes, StudyFile& study) const {
    require(axes, "platform");
    for (const toml::value& value : values(axes, "platform"))
      add(study.platforms, file_.parent_path() / text(value));
    for (const toml::value& value : values(axes, "set")) {
      if (!value.is_table()) fail(value, "not a table. Write it like {} or {memory_bandwidth = \"x2\"}");
      PlatformChange change{place(value), {}};
      for (const auto& [name, number] : value.as_table())
        change.values.emplace(name, text(number));
      study.changes.push_back(std::move(change));
    }
    if (study.changes.empty()) study.changes = {{file_.string(), {}}};
  }

  void read_simulate(StudyFile& study) const {
    using Kind = SimulationChoice::Kind;
    if (root_.contains("simulate")) {
      const toml::value& value = root_.at("simulate");
      const std::string choice = text(value);
      if (choice == "all") {
        study.simulate.kind = Kind::all;
      } else if (choice.starts_with("best ")) {
        study.simulate = {Kind::best, parse_numbers(choice.substr(5), place(value)).front(), {}};
      } else if (choice != "none") {
        fail(value,
             fmt::format("'{}' is no choice of points. Write \"all\", \"best 10\" or \"none\"", choice));
      }
    }
    for (const toml::value& value : values(root_, "best_of_each"))
      study.simulate.of_each.push_back(axis_of(value));
  }

  Axis axis_of(const toml::value& value) const {
    const std::string name = text(value);
    const auto found = std::ranges::find_if(
        axis_names, [&](const auto& names) { return names[0] == name || names[1] == name; });
    if (found == axis_names.end()) fail(value, fmt::format("'{}' is no axis. Name one of [axes]", name));
    return static_cast<Axis>(found - axis_names.begin());
  }

  std::filesystem::path file_;
  toml::value root_;
};

}  // namespace

std::size_t StudyFile::size(Axis axis) const {
  switch (axis) {
    case Axis::problem:
      return problems.size();
    case Axis::policy:
      return programs.size();
    case Axis::ranks_per_node:
      return ranks_per_node.size();
    case Axis::ranks:
      return ranks.size();
    case Axis::block_size:
      return block_sizes.size();
    case Axis::platform:
      return platforms.size();
    case Axis::set:
      return changes.size();
  }
  return 0;
}

StudyFile read_study_file(const std::filesystem::path& file) {
  return Reader(file).read();
}

}  // namespace finegrain
