// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "traces/formats/format.hpp"
#include "traces/formats/goal_binary.hpp"

namespace finegrain::formats {
namespace {

namespace fs = std::filesystem;

Export write_timeline(const Trace& trace, TimelineFormat format, const fs::path& out,
                      const ExportOptions& options) {
  TimelineExport made =
      export_timeline(trace, format, options.selection, out, options.on_rank, options.protection);
  return {out, made.iterations, "iteration", std::move(made.problems), made.left_out, made.bytes};
}

/// The text from its first word on that is in no comment of GOAL's.
std::string_view after_comments(std::string_view text) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const bool is_line = text.starts_with("//");
    if (!is_line && !text.starts_with("/*")) return text;
    const std::size_t end = is_line ? text.find('\n') : text.find("*/", 2);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + (is_line ? 1 : 2));
  }
}

bool looks_like_goal(std::string_view name, std::string_view first_bytes) {
  return name.ends_with(".goal") || is_goal_binary(std::as_bytes(std::span(first_bytes))) ||
         after_comments(first_bytes).starts_with("num_ranks");
}

/// The last one is what a file is that no other recognizes.
const std::array formats{
    Format{.name = "chrome",
           .writes = "JSON of trace events, for Perfetto and chrome://tracing: ranks are\n"
                     "threads of their nodes, phases are slices, messages are arrows.",
           .has_places = true,
           .write =
               [](const Trace& trace, const fs::path& out, const ExportOptions& options) {
                 Export made = write_timeline(trace, TimelineFormat::chrome, out, options);
                 made.opened_with = "ui.perfetto.dev or chrome://tracing";
                 return made;
               }},
    Format{.name = "csv",
           .writes = "a row for each phase and message, with start and end in microseconds.",
           .has_places = true,
           .write =
               [](const Trace& trace, const fs::path& out, const ExportOptions& options) {
                 return write_timeline(trace, TimelineFormat::csv, out, options);
               }},
    Format{.name = "otf2",
           .loses = "the size of a reduction's elements, and of a receive's buffer.",
           .reads = "the anchor file of an archive that Score-P or EZTrace wrote.",
           .to_give = "the anchor file of an OTF2 archive (Score-P, EZTrace)",
           .recognized_by = "of a file NAME.otf2",
           .finds_own_errors = true,
           .recognizes = [](std::string_view name, std::string_view) { return name.ends_with(".otf2"); },
           .read = import_otf2,
           .writes = "a recorded program's archive, a folder: for Vampir, Cube, otf2-print.",
           .needs_functions = true,
           .has_places = true,
           .write = export_otf2},
    Format{.name = "paje",
           .loses = "how much collectives move.",
           .writes = "containers, states and links, for ViTE and pj_dump.",
           .has_places = true,
           .write = export_paje},
    Format{.name = "goal",
           .loses = "functions, communicators, and the time in calls.",
           .reads = "a schedule in GOAL's text form, as Schedgen writes it for LogGOPSim,\n"
                    "or in the binary form that LogGOPSim and ATLAHS simulate.",
           .to_give = "a GOAL schedule, as text or binary",
           .recognized_by = "of NAME.goal and of what begins as a schedule",
           .recognizes = looks_like_goal,
           .read = import_goal,
           .writes = "a recorded program's schedule in GOAL's text form, for LogGOPSim\n"
                     "and ATLAHS.",
           .needs_functions = true,
           .write = export_goal},
    Format{.name = "ti",
           .loses = "communicators, and the time in calls.",
           .reads = "SimGrid's time-independent traces (smpirun -trace-ti): the list of the\n"
                    "ranks' files, or one file of all ranks.",
           .to_give = "SimGrid's time-independent trace",
           .recognized_by = "of others",
           .recognizes = [](std::string_view, std::string_view) { return true; },
           .read = import_time_independent,
           .writes = "SMPI's time-independent trace, a folder, for smpirun -replay.",
           .write = export_time_independent}};

}  // namespace

std::span<const Format> all_formats() {
  return formats;
}

const Format& format_named(std::string_view name) {
  return *std::ranges::find(formats, name, &Format::name);
}

const Format& recognized_format(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string bytes = first_bytes(path);
  return *std::ranges::find_if(formats, [&](const Format& format) {
    return format.recognizes != nullptr && format.recognizes(name, bytes);
  });
}

std::string what_is_read() {
  std::string text = "Give ";
  for (const Format& format : formats) {
    if (format.read == nullptr) continue;
    if (text.size() > 5) text += &format == &formats.back() ? ", or " : ", ";
    text += format.to_give;
  }
  return text;
}

}  // namespace finegrain::formats
