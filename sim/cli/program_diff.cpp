// SPDX-License-Identifier: MIT
#include "sim/cli/program_diff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/cli/diff_tables.hpp"
#include "sim/cli/evaluated.hpp"
#include "sim/cli/program_jobs.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/provenance.hpp"
#include "sim/output/json_tables.hpp"
#include "sim/report/report_data.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

DiffSide read_side(const std::string& path, const DiffQuestion& question,
                   const std::vector<platform::Platform>& platforms) {
  const Trace trace = open_trace(path, question.names);
  if (!trace.names_functions())
    throw InputError(path, "is no recording of an MPI program",
                     "Compare its phases and messages by finegrain trace diff");
  const int ranks = trace.manifest().run.ranks;
  DiffSide side{
      .program = with_progress("reading rank", ranks,
                               [&](const OnRank& on_rank) { return summarize_program(trace, on_rank); }),
      .ranks = ranks};
  if (!side.program.problems.empty())
    throw InputError(path, "cannot be read to its end", "See finegrain trace info");
  if (platforms.empty()) return side;
  const std::string name = std::filesystem::path(path).filename().string();
  ProgramOptions program;
  program.names = question.names;
  const ProgramJobs prepared(trace, path, program, question.workload, platforms, question.platform);
  std::vector<answer::Question> questions;
  for (const replay::ReplayJob& job : prepared.jobs)
    questions.push_back({.job = job});
  replay::ReplayOptions both_works = question.replay;
  both_works.compares_work = true;
  std::vector<NoteOnPlatform> variations;
  for (answer::Answer& answer : evaluate_with_progress(questions, question.processes, both_works)) {
    if (std::string variation = describe_variation(*answer.simulated); !variation.empty())
      variations.push_back({answer.question.job.platform->name, std::move(variation)});
    side.regions_s.push_back(replay::region_seconds(*answer.simulated));
    side.simulated.push_back(std::move(*answer.simulated));
  }
  for (const std::string& note : prepared.notes())
    side.notes.push_back(fmt::format("{}: {}", name, note));
  for (const std::string& note : shared_notes(variations))
    side.notes.push_back(fmt::format("{}: {}", name, note));
  return side;
}

}  // namespace

ProgramDiff diff_programs(DiffQuestion question) {
  if (question.names.by.empty()) {
    const auto has_places = [](const std::string& path) {
      const Trace trace(path);
      bool any = false;
      if (trace.names_functions()) trace.for_each_place([&](auto) { any = true; });
      return any;
    };
    question.names.by = has_places(question.before) && has_places(question.after) ? "place" : "function";
  }
  ProgramDiff diff{.by = question.names.by};
  if (!question.platform.files.empty()) diff.platforms = read_simulated_platforms(question.platform);
  const DiffSide before = read_side(question.before, question, diff.platforms);
  const DiffSide after = read_side(question.after, question, diff.platforms);
  if (before.ranks != after.ranks)
    throw InputError(question.after,
                     fmt::format("has {}, and {} has {}", format_count(after.ranks, "rank"), question.before,
                                 before.ranks),
                     "Record both with the same number of ranks");
  std::vector<std::string> platforms;
  for (const platform::Platform& platform : diff.platforms)
    platforms.push_back(platform.name);
  const std::vector<DiffRow> rows = diff_rows(before, after);
  diff.tables = {diff_of_places(rows, before, after, platforms)};
  output::Table& table = diff.tables.front();
  diff.changed = std::ranges::count_if(rows, [](const DiffRow& row) {
    return (row.before != nullptr || row.after != nullptr) && !row.is_alike();
  });
  table.title =
      fmt::format("{} -> {}: {}", question.before, question.after,
                  diff.changed == 0 ? "the same calls, messages and bytes"
                                    : fmt::format("{} changed", format_count(diff.changed, diff.by)));
  table.notes.push_back(fmt::format(
      "measured{}{}: seconds of a rank (mean), how many more than before. Those that were measured "
      "are of one run each, and differ from run to run",
      platforms.empty() ? "" : ", ", fmt::join(platforms, ", ")));
  for (const auto& [path, side] : {std::pair(question.before, &before), std::pair(question.after, &after)})
    if (const std::string& reason = side->program.not_measured; !reason.empty())
      table.notes.push_back(fmt::format("{}: measured: {}", path, reason));
  for (std::size_t p = 0; p < platforms.size(); ++p) {
    const double was_s = before.simulated[p].total_s;
    const double is_s = after.simulated[p].total_s;
    table.notes.push_back(
        fmt::format("{}: {:.6g} s before, {:.6g} s now ({:+.1f} %); replay. The sum is their "
                    "difference",
                    platforms[p], was_s, is_s, 100 * (is_s / was_s - 1)));
  }
  table.notes.emplace_back(
      "calls: now, of all ranks; more: than before; messages, bytes: how many more, sent and received. A "
      "line "
      "that only moved is the same place");
  for (const DiffSide* side : {&before, &after})
    std::ranges::copy(side->notes, std::back_inserter(table.notes));
  if (!platforms.empty()) {
    diff.tables.push_back(diff_of_causes(before, after, platforms));
    diff.tables.push_back(diff_of_ranks(before, after, platforms.front()));
  }
  return diff;
}

namespace {

/// "run" of "folder/run/"
std::string trace_name(const std::string& path) {
  return (std::filesystem::path(path) / "").parent_path().filename().string();
}

}  // namespace

nlohmann::json diff_page_data(const DiffQuestion& question) {
  std::string before = trace_name(question.before), after = trace_name(question.after);
  if (before == after) {
    before = question.before;
    after = question.after;
  }
  const ProgramDiff diff = diff_programs(question);
  nlohmann::json data = {
      {"diff", {{"before", before}, {"after", after}, {"by", diff.by}, {"changed", diff.changed}}},
      {"network_model", replay::network_model(question.replay)},
      {"platforms", nlohmann::json::array()},
      {"notes", nlohmann::json::array()}};
  for (const platform::Platform& platform : diff.platforms)
    data["platforms"].push_back(report::platform_data(platform));
  for (const output::Table& table : diff.tables) {
    data["diff"]["tables"][table.name] = output::json_of(table);
    for (const std::string& note : table.notes)
      data["notes"].push_back(note);
  }
  return data;
}

}  // namespace finegrain::cli
