// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/formats/expand_collective.hpp"
#include "traces/formats/imported_trace.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/on_rank.hpp"
#include "traces/timeline_export.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::formats {

struct ImportOptions {
  /// What a rank computes, where a trace has flops and no times. None: the work stays in flops
  /// (work_in_flops.hpp), which a replay runs at the speed of each host.
  std::optional<double> flops_per_second = {};
};

struct ExportOptions {
  TimelineSelection selection = {};  ///< the part of the run, where the format has a part; most_bytes of all
  ExpandCollective expand = {};
  double flops_per_byte = 1;      ///< for each byte that a rank of a kernel moves over its memory
  double flops_per_second = 1e9;  ///< for each second of a recorded program's work
  Protection protection = {};
  OnRank on_rank = {};
};

/// What an export wrote.
struct Export {
  std::filesystem::path path;  ///< the file that the other tool takes
  std::int64_t count = 0;      ///< how many of `unit`
  const char* unit = "event";
  std::vector<std::string> notes = {};  ///< what it lacks of the trace, a line each
  std::int64_t left_out = 0;            ///< iterations, for the size of the file
  std::optional<std::uint64_t> bytes = {};
  const char* opened_with = "";
};

using ReadTrace = Import(const std::filesystem::path& path, const std::filesystem::path& folder,
                         const ImportOptions& options);
using WriteTrace = Export(const Trace& trace, const std::filesystem::path& out, const ExportOptions& options);

/// A format of other tools' traces. Texts for people may have several lines.
struct Format {
  std::string_view name;        ///< after --format
  std::string_view loses = {};  ///< what a trace holds, and this format does not

  // What can be read of it; nothing if `read` is null.
  std::string_view reads = {};          ///< which files
  std::string_view to_give = {};        ///< the file to give, in an error
  std::string_view recognized_by = {};  ///< "of a file NAME.otf2"
  bool finds_own_errors = false;        ///< files that look like another format's are read all the same
  bool (*recognizes)(std::string_view name, std::string_view first_bytes) = nullptr;
  ReadTrace* read = nullptr;

  // What can be written of it; nothing if `write` is null.
  std::string_view writes = {};
  bool needs_functions = false;  ///< only traces that name functions can be written
  bool has_places = false;       ///< calls can be named by their place in the source
  WriteTrace* write = nullptr;
};

/// All that are known. To add one, add an entry.
std::span<const Format> all_formats();
/// @pre there is one of that name
const Format& format_named(std::string_view name);
/// What a file looks like, by its name or its first bytes.
const Format& recognized_format(const std::filesystem::path& path);
/// What can be given to an import, for the end of an error.
std::string what_is_read();

/// What a file or folder is of which no import is known: "is a Paraver trace", as an error's problem. Empty
/// if it is not recognized as anything, so that it may be a trace that is read.
std::string foreign_format(const std::filesystem::path& path);

/// A file's first bytes, as many as its format is known by; fewer if it has no more.
std::string first_bytes(const std::filesystem::path& path);

// Imports make a trace in a folder, which must not exist yet. @throws InputError naming what is not valid

/// An OTF2 archive, as Score-P and EZTrace write it. @param anchor  the archive's anchor file
/// @throws InputError also if finegrain was built without OTF2's library, as export_otf2
Import import_otf2(const std::filesystem::path& anchor, const std::filesystem::path& folder,
                   const ImportOptions& options = {});
/// A GOAL schedule. Of each rank's graph the trace holds one order: a rank begins all messages that it may,
/// then calculates, and only then waits. Where an order depends on time, it is that of an execution.
Import import_goal(const std::filesystem::path& path, const std::filesystem::path& folder,
                   const ImportOptions& options = {});
/// SimGrid's time-independent traces, as smpirun -trace-ti writes them.
/// @param path  a file of actions, of all ranks; or a list of such files, a line each
Import import_time_independent(const std::filesystem::path& path, const std::filesystem::path& folder,
                               const ImportOptions& options);

// @throws InputError if the trace holds what the format cannot, if it would be larger than asked for, or if
// it cannot be written

/// Writes the calls of a recorded program as an OTF2 archive: folder/traces.otf2, which must not exist yet.
/// Functions are regions, places source code locations; messages, collectives and one-sided transfers are
/// MPI's and RMA's events. Collectives' sizes are of pairs of ranks, as Score-P's. OTF2 has no neighbour
/// collectives.
Export export_otf2(const Trace& trace, const std::filesystem::path& folder,
                   const ExportOptions& options = {});
/// Writes a recorded run as a Paje trace: nodes and ranks are containers, phases or functions are states,
/// messages are links. All ranks' files are read at once, a chunk of each in memory.
Export export_paje(const Trace& trace, const std::filesystem::path& file, const ExportOptions& options);
/// Writes the calls of a recorded program as a schedule in GOAL's text form: an operation requires what its
/// rank has waited for before. GOAL has no one-sided transfers and locks.
Export export_goal(const Trace& trace, const std::filesystem::path& file, const ExportOptions& options);
/// Writes SMPI's time-independent traces: trace.txt, and a file a rank (write_actions_folder). Of a recorded
/// program: the format has collectives of all ranks in their order only; others, and those of neighbours,
/// become the messages that they send.
Export export_time_independent(const Trace& trace, const std::filesystem::path& folder,
                               const ExportOptions& options);

}  // namespace finegrain::formats
