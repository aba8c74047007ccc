// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "traces/io/atomic_file.hpp"
#include "traces/run.hpp"

namespace finegrain {

class FileSlice;

/// What a rank's clock read against rank 0's, measured by ping-pong before the first and after the last
/// iteration.
struct ClockOffset {
  std::int64_t at_ns = 0;      ///< the rank's own clock when this was measured
  std::int64_t offset_ns = 0;  ///< to be added to the rank's clock to get rank 0's
};

/// manifest.json of a trace: what ran, on what, with which versions.
struct Manifest {
  Run run;
  std::string implementation;   ///< program that was recorded, e.g. "mpi-openmp"
  int warmup_iterations = 0;    ///< ran before the recorded ones, not recorded
  bool oversubscribed = false;  ///< more ranks x threads on a node than cores: times mean little
  bool complete = false;        ///< set when every rank finished its file
  std::string recorded_at;      ///< UTC, ISO 8601
  std::map<std::string, std::string>
      environment;  ///< "cpu", "cores", "mpi", "compiler", "finegrain", "pinning", ...
  std::vector<ClockOffset> offsets_at_start;  ///< shape [ranks]
  std::vector<ClockOffset> offsets_at_end;    ///< shape [ranks]; empty while incomplete
};

constexpr const char* manifest_file_name = "manifest.json";
/// Names of the places of a program's calls: traces/places.
constexpr const char* places_file_name = "places.json.zst";
constexpr const char* places_file_name_of_version_1 = "places.json";
/// A million ranks' clock offsets fit; anything above is no manifest.
constexpr std::uintmax_t largest_manifest_bytes = std::uintmax_t{256} << 20;

FileKind manifest_kind();

/// Whether it is the name of a file in a trace's folder: the manifest, the names of places, or a rank's file.
bool belongs_to_trace(const std::string& name);

/// Removes a trace's files from its folder. @throws InputError if the folder holds anything else
void remove_trace(const std::filesystem::path& folder);

/// What write_manifest() writes.
std::string manifest_text(const Manifest& manifest);

/// Creates the folder if need be and writes folder/manifest.json (to a temporary, then renamed). @throws
/// InputError if it cannot be written
void write_manifest(const std::filesystem::path& folder, const Manifest& manifest);

/// @throws InputError naming file and byte, if it is missing, damaged, or of another version
Manifest read_manifest(const std::filesystem::path& folder);

/// The same from a file, or from an entry of a packed trace.
Manifest read_manifest(const FileSlice& file);

/// The same from the manifest's text. @param file  its name, for errors
Manifest parse_manifest(std::string_view text, const std::string& file);

}  // namespace finegrain
