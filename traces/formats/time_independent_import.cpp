// SPDX-License-Identifier: MIT
#include "traces/formats/format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/formats/any_source.hpp"
#include "traces/formats/smpi_line.hpp"
#include "traces/formats/smpi_rank.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"
#include "traces/io/units.hpp"
#include "traces/work_in_flops.hpp"

namespace finegrain::formats {
namespace {

namespace fs = std::filesystem;

/// A file of actions, in memory.
struct ActionsFile {
  std::string name;
  MappedFile file;

  std::string_view text() const { return file.text(); }
};

/// Calls visit(line's text, its number from 1 on).
template <typename Visit>
void for_each_text(std::string_view text, Visit&& visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

template <typename Visit>
void for_each_line(const std::vector<ActionsFile>& files, Visit&& visit) {
  for (const ActionsFile& file : files) {
    for_each_text(file.text(), [&](std::string_view text, std::size_t number) {
      const SmpiLine line(text, file.name, number);
      if (!line.is_empty()) visit(line);
    });
  }
}

/// Whether a file's first line is an action, and not the name of another file.
bool holds_actions(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  const std::string_view line = text.substr(start, text.find('\n', start) - start);
  const std::size_t number_end = line.find_first_not_of("0123456789");
  return line.front() == '#' || (number_end != 0 && number_end < line.size() &&
                                 (line[number_end] == ' ' || line[number_end] == '\t'));
}

/// Whether the first line is the name of a file, or can be one: another format's seldom is one word.
bool names_files(const fs::path& folder, std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return true;
  std::string_view line = text.substr(start, text.find('\n', start) - start);
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  std::error_code error;
  return line.front() == '/' || line.find_first_of(" \t<>|\"{};*") == std::string_view::npos ||
         fs::is_regular_file(folder / line, error);
}

std::vector<ActionsFile> open_files(const fs::path& path) {
  std::vector<ActionsFile> files;
  files.push_back({path.string(), MappedFile(path)});
  if (holds_actions(files.front().text())) return files;
  const ActionsFile list = std::move(files.front());
  if (!names_files(path.parent_path(), list.text()))
    throw InputError(path.string(),
                     "is not a time-independent trace (a line is \"0 send 1 0 100 6\" or names a file)",
                     what_is_read());
  files.clear();
  for_each_text(list.text(), [&](std::string_view text, std::size_t number) {
    const std::size_t end = text.find_last_not_of(" \t\r");
    if (end == std::string_view::npos) return;
    const fs::path file = path.parent_path() / text.substr(0, end + 1);  // an absolute one stays as it is
    std::error_code error;
    if (!fs::is_regular_file(file, error)) {
      throw InputError(fmt::format("{}:{}", path.string(), number),
                       fmt::format("names a file that is not there ({})", file.string()),
                       "Give the file that smpirun -trace-ti wrote beside its folder of traces");
    }
    files.push_back({file.string(), MappedFile(file)});
  });
  if (files.empty()) throw InputError(path.string(), "names no file", "Give a time-independent trace");
  return files;
}

/// Each needs a line, so a number in a file asks for no more memory than the file takes.
std::int32_t count_ranks(const std::vector<ActionsFile>& files, const std::string& path) {
  std::int64_t lines = 0;
  std::int32_t last = -1;
  std::string where;
  for_each_line(files, [&](const SmpiLine& line) {
    ++lines;
    if (line.rank() <= last) return;
    last = line.rank();
    where = line.where();
  });
  if (last < 0) throw InputError(path, "has no actions", "Give a time-independent trace");
  if (last < lines) return last + 1;
  throw InputError(
      where,
      fmt::format("is of rank {} (there are {} lines for {})", last, lines, format_count(last, "rank")),
      "Give the files of all ranks");
}

/// The format does not say which communicator a collective is on, so all ranks must have the same
/// collectives.
void check_collectives(const std::vector<SmpiRank>& ranks) {
  const std::vector<SmpiCollective>& first = ranks.front().collectives();
  const auto text = [](const SmpiCollective& collective) {
    return fmt::format("{} of root {}", to_string(collective.kind), collective.root);
  };
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    const std::vector<SmpiCollective>& own = ranks[r].collectives();
    const auto [mine, others] = std::ranges::mismatch(
        own, first, [](const auto& a, const auto& b) { return a.kind == b.kind && a.root == b.root; });
    if (mine == own.end() && others == first.end()) continue;
    const std::string& where = mine == own.end() ? others->where : mine->where;
    throw InputError(
        where,
        fmt::format("collective {} of rank {} is {}, of rank 0 {} (of a communicator of some ranks only? The "
                    "format does not say of which)",
                    mine - own.begin() + 1, r, mine == own.end() ? "missing" : text(*mine),
                    others == first.end() ? "missing" : text(*others)),
        "Record the program with finegrain record, or as OTF2");
  }
}

/// "rank 1", "ranks 1, 2, 3 ..."
std::string named_ranks(const std::vector<std::int32_t>& ranks) {
  constexpr std::size_t most = 5;
  return fmt::format("{} {}{}", ranks.size() == 1 ? "rank" : "ranks",
                     fmt::join(std::span(ranks).first(std::min(most, ranks.size())), ", "),
                     ranks.size() > most ? " ..." : "");
}

std::vector<std::string> notes_of(const std::vector<std::int32_t>& silent, const Remarks& remarks,
                                  const AnySource& sources) {
  std::vector<std::string> notes;
  if (!silent.empty())
    notes.push_back(fmt::format("{} without a line, which {} nothing: {}. Are files missing?",
                                format_count(static_cast<std::int64_t>(silent.size()), "rank"),
                                silent.size() == 1 ? "does" : "do", named_ranks(silent)));
  for (const auto& [what, count] : remarks)
    notes.push_back(fmt::format("{} {}", format_count(count, "action"), what));
  append_notes(notes, sources);
  return notes;
}

}  // namespace

Import import_time_independent(const fs::path& path, const fs::path& folder, const ImportOptions& options) {
  const std::vector<ActionsFile> files = open_files(path);
  const std::int32_t ranks = count_ranks(files, path.string());
  Remarks remarks;
  std::vector<SmpiRank> programs;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    programs.emplace_back(rank, ranks, options.flops_per_second.value_or(flops_of_a_second), remarks);
  std::vector<bool> has_line(static_cast<std::size_t>(ranks));
  for_each_line(files, [&](const SmpiLine& line) {
    programs[static_cast<std::size_t>(line.rank())].add(line);
    has_line[static_cast<std::size_t>(line.rank())] = true;
  });
  std::vector<std::int32_t> silent;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    if (!has_line[static_cast<std::size_t>(rank)]) silent.push_back(rank);
  check_collectives(programs);
  std::vector<RankCalls> calls;
  for (SmpiRank& program : programs)
    calls.push_back(program.finish());
  const AnySource sources = find_sources(calls, {});

  ImportedTrace trace(folder, ranks);
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    trace.write(rank, calls[static_cast<std::size_t>(rank)]);
  Origin origin{path.string(), {{"imported", "SimGrid's time-independent trace"}}};
  std::string remark =
      "Work is in flops: a replay runs them at the speed of each host (--flops-per-second gives them a time)";
  if (options.flops_per_second) {
    origin.environment["imported"] += fmt::format(", {:g} flop/s", *options.flops_per_second);
    remark = fmt::format(
        "Work is timed at {:g} flop/s. A replay keeps these times on the platform's first host; a host of "
        "another speed takes its own",
        *options.flops_per_second);
  } else {
    origin.environment.insert(work_in_flops());
  }
  Import result = trace.finish(origin);
  result.remark = std::move(remark);
  result.notes = notes_of(silent, remarks, sources);
  return result;
}

}  // namespace finegrain::formats
