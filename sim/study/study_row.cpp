// SPDX-License-Identifier: MIT
#include "sim/study/study_row.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <string_view>

#include "sim/platform/compute_scales.hpp"
#include "sim/policy/idle_ranks.hpp"
#include "sim/policy/policy.hpp"

namespace finegrain::study {
namespace {

output::Cell text_or_none(std::string text) {
  return text.empty() ? output::Cell() : output::Cell(std::move(text));
}
output::Cell count_or_none(std::int64_t count) {
  return count == 0 ? output::Cell() : output::Cell(count);
}
output::Cell name(std::string_view name) {
  return std::string(name);
}

std::string text_of(const output::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *count);
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  return "";
}

output::Cell cell_of(const Settings& settings, const std::string& setting) {
  const auto found = settings.find(setting);
  if (found == settings.end()) return {};
  return std::visit([](const auto& value) { return output::Cell(value); }, found->second);
}

/// A number, unless hosts have factors of their own.
output::Cell cell_of(const platform::ComputeScales& scales) {
  return scales.of_hosts.empty() ? output::Cell(scales.of_others) : output::Cell(text_of(scales));
}

}  // namespace

const std::vector<InputColumn>& input_columns() {
  static const std::vector<InputColumn> columns = [] {
    std::vector<InputColumn> all{{"point", "INTEGER PRIMARY KEY"}, {"kernel", "TEXT NOT NULL"},
                                 {"problem", "TEXT NOT NULL"},     {"problem_digest", "TEXT"},
                                 {"policy", "TEXT NOT NULL"},      {"transfer", "TEXT NOT NULL"},
                                 {"completion", "TEXT NOT NULL"},  {"ranks", "INTEGER"},
                                 {"ranks_per_node", "INTEGER"},    {"nodes", "INTEGER"},
                                 {"idle_ranks", "INTEGER"},        {"placement", "TEXT NOT NULL"},
                                 {"threads", "INTEGER NOT NULL"}};
    for (const pattern::Parameter& parameter : policy::all_parameters())
      all.push_back({parameter.name, parameter.words.empty() ? "INTEGER" : "TEXT"});
    all.insert(all.end(), {{"iterations", "INTEGER NOT NULL"},
                           {"collective", "TEXT"},
                           {"compute_scale", "ANY"},
                           {"compute_scale_from", "TEXT"},
                           {"waiting", "TEXT"},
                           {"count", "TEXT"},
                           {"ranks_per_socket", "INTEGER"},
                           {"platform", "TEXT NOT NULL"},
                           {"platform_digest", "TEXT NOT NULL"},
                           {"changes", "TEXT"},
                           {"infeasible", "TEXT"}});
    return all;
  }();
  return columns;
}

std::string as_made_today(std::string table) {
  constexpr std::string_view before = "\"compute_scale\" REAL";
  if (const std::size_t place = table.find(before); place != std::string::npos)
    table.replace(place, before.size(), "\"compute_scale\" ANY");
  return table;
}

std::vector<output::Cell> input_row(const StudyPoint& point, const StudyFile& study,
                                    const StudyInputs& inputs) {
  const Run& run = point.run;
  const ChangedPlatform& changed = inputs.platforms[point.platform];
  const std::size_t problem = point.position(Axis::problem);
  const bool is_program = study.is_of_programs();
  const StudyJobs* const jobs = study.is_of_jobs() ? &inputs.jobs[problem] : nullptr;
  std::vector<output::Cell> row{point.number,
                                jobs != nullptr ? std::string(kind_of_jobs)
                                : is_program    ? std::string("program")
                                                : study.pattern,
                                jobs != nullptr ? study.problems[problem]
                                : is_program    ? inputs.programs[problem].name
                                                : inputs.problems[problem]->name(),
                                text_or_none(jobs != nullptr ? jobs->digest
                                             : is_program    ? inputs.programs[problem].digest
                                                             : inputs.problems[problem]->digest()),
                                run.policy,
                                name(to_string(run.transfer)),
                                name(to_string(run.completion)),
                                count_or_none(run.ranks),
                                count_or_none(run.ranks_per_node),
                                count_or_none(point.nodes),
                                point.infeasible.empty() && !study.pattern.empty()
                                    ? output::Cell(static_cast<std::int64_t>(policy::idle_ranks(run).size()))
                                    : output::Cell(),
                                name(to_string(point.placement)),
                                std::int64_t{run.threads_per_rank}};
  Settings settings = study.pattern.empty() ? Settings() : policy::settings_of(run);
  settings.insert(run.problem.settings.begin(), run.problem.settings.end());
  for (const pattern::Parameter& parameter : policy::all_parameters())
    row.push_back(cell_of(settings, parameter.name));
  const bool has_scale =
      (is_program && !inputs.programs[problem].work) || (jobs != nullptr && jobs->has_programs);
  row.insert(row.end(), {run.iterations, text_or_none(point.collective),
                         has_scale ? cell_of(study.compute_scale) : output::Cell(),
                         is_program ? text_or_none(inputs.programs[problem].work_from) : output::Cell()});
  if (changed.platform.powers && jobs == nullptr) {
    row.insert(row.end(), {name(to_string(study.energy.waiting)), name(to_string(study.energy.counted)),
                           count_or_none(study.energy.ranks_per_socket.value_or(0))});
  } else {
    row.resize(row.size() + 3);  // without energy, these columns have no effect
  }
  row.insert(row.end(), {changed.platform.name, changed.digest, text_or_none(changed.changes),
                         text_or_none(point.infeasible)});
  return row;
}

std::string digest_of(const std::vector<std::vector<output::Cell>>& rows) {
  std::string text;
  for (const std::vector<output::Cell>& row : rows)
    for (const output::Cell& cell : row)
      text += text_of(cell) + '\n';
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

std::int64_t digest_of(const std::vector<output::Cell>& row) {
  std::string text;
  const auto add = [&](const auto& value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const output::Cell& cell : row) {
    add(cell.index());
    if (const auto* words = std::get_if<std::string>(&cell)) {
      add(words->size());
      text += *words;
    } else if (const auto* count = std::get_if<std::int64_t>(&cell)) {
      add(*count);
    } else if (const auto* number = std::get_if<double>(&cell)) {
      add(*number + 0.0);  // SQLite keeps -0 as 0
    }
  }
  return static_cast<std::int64_t>(XXH3_64bits(text.data(), text.size()));
}

}  // namespace finegrain::study
