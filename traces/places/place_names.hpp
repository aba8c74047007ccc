// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "traces/call_frame.hpp"
#include "traces/places/file_names.hpp"
#include "traces/places/places_file.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::places {

/// The lines of a program's source that its recorded calls were made from. Where the trace has no names,
/// they are read from the program's files, if these are still as they were (libdw: also files of debugging
/// information that are apart, Fortran, and functions that were inlined).
class PlaceNames {
 public:
  /// Names the places of a trace, by the names that are in it. @throws InputError naming the file if these
  /// are damaged
  explicit PlaceNames(const Trace& trace);
  ~PlaceNames();
  PlaceNames(PlaceNames&&) noexcept;
  PlaceNames& operator=(PlaceNames&&) noexcept;

  /// Frames in these files are passed over as well. @param beginning  that of the file's name: "libhypre"
  void skip(const std::string& beginning) { skipped_.push_back(beginning); }

  /// From now on files of the trace's places that have one base name are told apart by their folders.
  /// @returns whether the trace has places
  bool tell_files_apart(const Trace& trace);

  /// "halo.c:88": the line from which the program made the call: libraries that wrap MPI for it, and headers
  /// of the system, are passed over. Without a line's number "exchange (halo)", or "halo+0x1a2b".
  std::string name(std::span<const CallFrame> frames);

  /// Where a call returns to in a file: the innermost inlined function's line first; empty if nothing is
  /// known.
  const std::vector<SourceLine>& lines_of(const CallFrame& frame);

  /// Finds the names of all places of the trace and puts them beside its ranks' files, for other computers.
  /// Nothing is written where no place has a name.
  /// @throws InputError if they cannot be written
  static void write(const Trace& trace, const std::filesystem::path& folder);

 private:
  class DebugInformation;
  /// The innermost call that is the program's own.
  struct Own {
    const CallFrame* frame;
    const SourceLine* line;  ///< none: nothing is known
  };
  bool is_passed_over(const CallFrame& frame) const;
  std::optional<Own> find_own(std::span<const CallFrame> frames);

  KnownLines known_;
  std::vector<std::string> skipped_;
  FileNames files_;
  /// The files that were opened, by path and build id.
  std::map<std::pair<std::string, std::string>, std::unique_ptr<DebugInformation>> opened_;
};

/// Names places by PlaceNames(trace).
NamePlace names_of_places(const Trace& trace, std::span<const std::string> skipped = {});

/// A trace whose calls are named by function and place: "MPI_Isend halo.c:88".
/// @throws InputError as Trace does, and where it is no recorded program's, or its calls have no places
Trace open_by_place(const std::filesystem::path& path, std::span<const std::string> skipped = {});

}  // namespace finegrain::places
