// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "traces/file_slice.hpp"

namespace finegrain::places {

/// A place in the source of a program.
struct SourceLine {
  std::string function;  ///< empty: not known
  std::string file;      ///< as the compiler was given it; empty: not known
  int line = 0;          ///< 0: not known

  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

/// The lines to which calls return, the innermost inlined function's first, by a file's build id and an
/// address in that file.
using KnownLines = std::map<std::pair<std::string, std::uint64_t>, std::vector<SourceLine>>;

/// Reads the names of places that are in a trace: docs/trace-format.md. Version 1, which is not compressed,
/// is read too.
/// @throws InputError naming the file if it is damaged or of another version
KnownLines read_places(const FileSlice& file);

/// Writes the names into a trace's folder. @throws InputError if they cannot be written
void write_places(const KnownLines& lines, const std::filesystem::path& folder);

}  // namespace finegrain::places
