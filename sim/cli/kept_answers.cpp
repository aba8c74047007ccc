// SPDX-License-Identifier: MIT
#include "sim/cli/kept_answers.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "sim/output/json_tables.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of_value(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void read_seconds(KeptAnswer& answer, const Json& object) {
  for (const auto& [key, origin] : origins_of_seconds)
    if (object.contains(key) && object[key].is_number()) answer.seconds[origin] = object[key];
}

/// Those of compare: what the report's page says.
KeptAnswers answers_of_page(const Json& page) {
  KeptAnswers kept{.whole = page.contains("is_program") ? "of the whole program" : "of an iteration"};
  for (const Json& of_page : page.at("answers")) {
    KeptAnswer& answer = kept.answers.emplace_back();
    const Json& run = page.at("runs").at(of_page.at("run").get<std::size_t>());
    for (const char* const part :
         {"name", "ranks", "nodes", "ranks_per_node", "threads_per_rank", "block_size"})
      if (run.contains(part)) answer.parts.emplace_back(part, text_of_value(run[part]));
    answer.parts.emplace_back(
        "platform",
        text_of_value(page.at("platforms").at(of_page.at("platform").get<std::size_t>()).at("name")));
    read_seconds(answer, of_page);
    for (const Json& phase : of_page.at("phases"))
      answer.regions_s.emplace_back(phase.at("name"), phase.at("simulated_s").at("mean"));
  }
  return kept;
}

/// Whether a column says what a run is.
bool names_run(const Json& column) {
  const auto name = column.at("name").get<std::string>();
  return column.at("origin") == "given" && column.value("unit", "") != "B" && name != "point" &&
         name != "infeasible" && !name.ends_with("_digest");
}

/// "pack" of a study's column "simulated_pack_s"
std::optional<std::string> region_of_column(std::string_view name) {
  constexpr std::string_view begin = "simulated_", end = "_s";
  if (!name.starts_with(begin) || !name.ends_with(end) || name.size() <= begin.size() + end.size())
    return std::nullopt;
  std::string region(name.substr(begin.size(), name.size() - begin.size() - end.size()));
  return region == "low" || region == "high" ? std::nullopt : std::optional(std::move(region));
}

/// Regions of a replayed program are in its table of functions, with a column for each platform.
void read_functions(KeptAnswers& kept, const Json& functions) {
  for (KeptAnswer& answer : kept.answers)
    for (const auto& [part, value] : answer.parts) {
      if (part != "platform") continue;
      const std::string key = value + "_s";
      for (const Json& row : functions.at("rows"))
        if (row.contains(key) && row[key].is_number())
          answer.regions_s.emplace_back(row.begin()->get<std::string>(), row[key]);
    }
}

/// Those of replay and study export: a row for each answer.
KeptAnswers answers_of_tables(const Json& tables) {
  KeptAnswers kept;
  const Json& table = tables.at(0);
  for (const Json& row : table.at("rows")) {
    KeptAnswer answer;
    read_seconds(answer, row);
    if (answer.seconds.empty()) continue;
    for (const Json& column : table.at("columns")) {
      const auto name = column.at("name").get<std::string>();
      const Json& value = row.at(name);
      if (names_run(column)) answer.parts.emplace_back(name, text_of_value(value));
      if (const auto region = region_of_column(name); region && value.is_number())
        answer.regions_s.emplace_back(*region, value);
    }
    kept.answers.push_back(std::move(answer));
  }
  if (tables.size() == 1) kept.regions = "the slowest rank's, of a recorded program the mean of the ranks";
  for (const Json& other : tables)
    if (other.at("name") == "functions" || other.at("name") == "places") read_functions(kept, other);
  return kept;
}

}  // namespace

KeptAnswers read_answers(const std::string& path) {
  const char* const hint = "Keep answers with --format json of compare, replay or study export";
  std::ifstream file(path, std::ios::binary);
  const Json tables = Json::parse(file, nullptr, false);
  if (!tables.is_array() || tables.empty() || !tables[0].is_object() || !tables[0].contains("version"))
    throw InputError(path, "is not what a command of finegrain printed as JSON", hint);
  if (tables[0]["version"] != output::json_version)
    throw InputError(path, "is of another version of finegrain's JSON (docs/json.md)", hint);
  try {
    KeptAnswers kept =
        tables[0].contains("page") ? answers_of_page(tables[0]["page"]) : answers_of_tables(tables);
    if (!kept.answers.empty()) return kept;
  } catch (const Json::exception&) {
    throw InputError(path, "lacks what docs/json.md says that it has", hint);
  }
  throw InputError(path, "has no seconds of runs", hint);
}

bool is_kept_answers(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  std::ifstream file(path, std::ios::binary);
  return (file >> std::ws).peek() == '[';
}

}  // namespace finegrain::cli
