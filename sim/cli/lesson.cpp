// SPDX-License-Identifier: MIT
#include "sim/cli/lesson.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "sim/cli/class_lesson.hpp"
#include "sim/study/toml_file.hpp"

namespace finegrain::cli {
namespace {

constexpr std::array<std::string_view, 3> units{"ms", "us", "s"};
/// How far from the simulated time a guess may be, and is right: as sums with two digits come out.
constexpr double usual_tolerance_percent = 10;

/// A flag's value: a text, a number, true, or a list of texts.
nlohmann::json flag_value(const study::TomlFile& file, const toml::value& value) {
  if (value.is_string()) return value.as_string().str;
  if (value.is_integer()) return std::to_string(value.as_integer());
  if (value.is_boolean()) return value.as_boolean();
  if (!value.is_array()) file.fail(value, "is neither a text, a number, true nor a list of texts");
  nlohmann::json values = nlohmann::json::array();
  for (const toml::value& one : value.as_array())
    values.push_back(file.text(one));
  return values;
}

nlohmann::json exercise_of(const study::TomlFile& file, const toml::value& table) {
  file.check_keys(table,
                  {"title", "question", "answer", "unit", "tolerance_percent", "choices", "right", "flags"});
  nlohmann::json exercise;
  for (const char* key : {"title", "question", "answer"})
    exercise[key] = file.text(file.require(table, key));
  if (table.contains("choices")) {
    for (const toml::value& choice : file.list(table, "choices"))
      exercise["choices"].push_back(file.text(choice));
    const toml::value& right = file.require(table, "right");
    const int number = file.small_number(right);
    if (static_cast<std::size_t>(number) > exercise["choices"].size())
      file.fail(right, "is more than there are choices");
    exercise["right"] = number - 1;
  } else {
    const toml::value& unit = file.require(table, "unit");
    exercise["unit"] = file.text(unit);
    if (std::ranges::find(units, exercise["unit"]) == units.end()) file.fail(unit, "is none of s, ms, us");
    exercise["tolerance_percent"] = usual_tolerance_percent;
    if (table.contains("tolerance_percent")) {
      const toml::value& tolerance = table.at("tolerance_percent");
      const double percent = file.fraction(tolerance);
      if (percent >= 100) file.fail(tolerance, "is not below 100");
      exercise["tolerance_percent"] = percent;
    }
  }
  const toml::value& flags = file.require(table, "flags");
  if (!flags.is_table()) file.fail(flags, "is no table of flags, e.g. { \"--ranks\" = 16 }");
  for (const auto& [flag, value] : flags.as_table())
    exercise["flags"][flag] = flag_value(file, value);
  return exercise;
}

nlohmann::json lesson_in(const study::TomlFile& file) {
  const toml::value& root = file.root();
  file.check_keys(root, {"title", "exercise"});
  nlohmann::json lesson{{"title", file.text(file.require(root, "title"))}};
  for (const toml::value& table : file.list(root, "exercise"))
    lesson["exercises"].push_back(exercise_of(file, table));
  return lesson;
}

}  // namespace

nlohmann::json read_lesson(const std::string& file) {
  return lesson_in(study::TomlFile(file));
}

nlohmann::json usual_lesson() {
  return lesson_in(study::TomlFile("class.toml", class_lesson, {}));
}

std::vector<std::string> platforms_of_lesson(const nlohmann::json& lesson) {
  std::vector<std::string> platforms;
  for (const nlohmann::json& exercise : lesson.at("exercises"))
    if (const nlohmann::json& flags = exercise.at("flags"); flags.contains("--platform")) {
      const nlohmann::json& values = flags["--platform"];
      for (const nlohmann::json& value : values.is_array() ? values : nlohmann::json::array({values}))
        platforms.push_back(value);
    }
  return platforms;
}

}  // namespace finegrain::cli
