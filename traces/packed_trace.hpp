// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "traces/file_slice.hpp"
#include "traces/io/atomic_file.hpp"

namespace finegrain {

/// A packed trace that is written file by file. It appears under its name when it is whole.
class PackedTraceWriter {
 public:
  /// @throws InputError if it cannot be created, or a file is there that must not be replaced
  explicit PackedTraceWriter(const std::filesystem::path& file, Protection protection = {});
  ~PackedTraceWriter();
  PackedTraceWriter(const PackedTraceWriter&) = delete;
  PackedTraceWriter& operator=(const PackedTraceWriter&) = delete;

  /// @param name  that of the trace's file: the manifest first, the others in the order of their names
  /// @throws InputError on a full disk or any other failed write
  void add(const std::string& name, std::span<const std::byte> content);
  void add(const FileSlice& file, const std::string& name);
  /// @throws InputError if syncing or renaming fails
  void commit();

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// Writes a trace's folder as one file: a plain tar of its manifest and rank files, sorted by name, times and
/// owners zero, so that the same trace always packs to the same bytes. The file appears when it is whole.
/// @param force  replace any file, not only a packed trace
/// @throws InputError if the folder is no trace, or the file cannot be written
void pack_trace(const std::filesystem::path& folder, const std::filesystem::path& file, bool force = false);

/// An entry as errors name it: "trace.tar(rank_00003.fgt)".
std::string packed_name(const std::filesystem::path& file, const std::string& entry);

/// A packed trace's entries by name, each a part of the tar.
/// @throws InputError naming file and byte if it is damaged, or holds anything but a manifest and rank files
std::map<std::string, FileSlice> packed_entries(const std::filesystem::path& file);

}  // namespace finegrain
