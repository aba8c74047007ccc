// SPDX-License-Identifier: MIT
#include "traces/formats/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <span>
#include <string_view>

#include "traces/formats/goal_binary.hpp"
#include "traces/io/mapped_file.hpp"

namespace finegrain::formats {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

struct Known {
  std::string_view mark;
  const char* what;
};

/// How the first bytes of files begin.
constexpr std::array beginnings = {
    Known{"#Paraver"sv, "is a Paraver trace"},
    Known{"#DIMEMAS"sv, "is a Dimemas trace"},
    Known{"SDDFA"sv, "is a Dimemas trace"},
    Known{"%EventDef"sv, "is a Paje trace"},
    Known{"# collprof"sv, "is a trace of liballprof (Schedgen makes GOAL of it)"},
    Known{"CLOG-"sv, "is a CLOG-2 trace of MPE"},
    Known{"SLOG"sv, "is a SLOG-2 trace of Jumpshot"},
    Known{"EPILOG"sv, "is an EPILOG trace"},
    Known{"PERFILE2"sv, "is a recording of perf"},
    Known{"__rec="sv, "is a Caliper recording"},
    Known{"SQLite format 3"sv, "is an SQLite database (Nsight Systems exports one)"},
    Known{"\x89HDF"sv, "is an HDF5 file"},
    Known{"\xff\xfe"sv, "is text in UTF-16: convert it to UTF-8 first"},
    Known{"\xfe\xff"sv, "is text in UTF-16: convert it to UTF-8 first"},
    Known{"\x1f\x8b"sv, "is compressed by gzip: unpack it first"},
    Known{"\x28\xb5\x2f\xfd"sv, "is compressed by zstd: unpack it first"},
    Known{"\xfd"
          "7zXZ"sv,
          "is compressed by xz: unpack it first"},
    Known{"BZh"sv, "is compressed by bzip2: unpack it first"},
    Known{"PK\x03\x04"sv, "is a zip archive: unpack it first"},
    Known{"\x7f"
          "ELF"sv,
          "is a program, not a trace"},
};

/// How the names of files end whose content is not recognized.
constexpr std::array endings = {
    Known{".prv"sv, "is named as a Paraver trace"},
    Known{".pcf"sv, "is named as a part of a Paraver trace"},
    Known{".row"sv, "is named as a part of a Paraver trace"},
    Known{".dim"sv, "is named as a Dimemas trace"},
    Known{".et"sv, "is named as a Chakra execution trace"},
    Known{".evt"sv, "is named as a part of an OTF2 archive, of which the anchor file is needed"},
    Known{".def"sv, "is named as a part of an OTF2 archive, of which the anchor file is needed"},
    Known{".otf"sv, "is named as a trace of OTF 1"},
    Known{".elg"sv, "is named as an EPILOG trace"},
    Known{".edf"sv, "is named as a part of a TAU trace"},
    Known{".trc"sv, "is named as a TAU trace"},
    Known{".nsys-rep"sv, "is named as a recording of Nsight Systems"},
    Known{".hpcrun"sv, "is named as a recording of HPCToolkit"},
    Known{".darshan"sv, "is named as a Darshan log"},
};

std::string what_json_is(std::string_view text) {
  const auto has = [text](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (has("\"traceEvents\"")) return "is JSON of trace events (as of Chrome, Perfetto or PyTorch)";
  if (has("\"schema\"") || has("\"nodes\"") || has("\"comm_type\""))
    return "is JSON of an execution trace (as of Chakra or PyTorch)";
  return "is JSON, which no trace that is read is";
}

bool is_tool_of_dumpi(const fs::path& path, std::string_view bytes) {
  const std::string name = path.filename().string();
  return bytes.starts_with("dumpi") ||
         (name.starts_with("dumpi") && (name.ends_with(".bin") || name.ends_with(".meta")));
}

std::string what_folder_is(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path / "manifest.json", error))
    return "is a trace of finegrain's already: trace info, compare and replay read it as it is";
  for (const auto& entry : fs::directory_iterator(path, error))
    if (entry.path().extension() == ".otf2")
      return fmt::format("is the folder of an OTF2 archive, whose anchor file is {}",
                         entry.path().filename().string());
  return "is a folder, not a file";
}

/// Cube profiles are archives, too; those before version 4 are XML.
std::string what_archive_is(std::string_view bytes, std::string_view name) {
  constexpr std::size_t place_of_kind = 257;
  const bool is_cube_xml = bytes.starts_with("<?xml") && bytes.find("<cube") != std::string_view::npos;
  const bool is_tar = bytes.size() > place_of_kind && bytes.substr(place_of_kind).starts_with("ustar");
  if (is_cube_xml || (is_tar && name.ends_with(".cubex")))
    return "is a Cube profile (Score-P, Scalasca), which has sums, and no calls in their order";
  if (!is_tar) return "";
  if (bytes.starts_with("manifest.json"))
    return "is a packed trace of finegrain's already: trace info, compare and replay read it as it is";
  return "is a tar archive: unpack it first";
}

bool is_binary(std::string_view bytes) {
  return bytes.find('\0') != std::string_view::npos;
}

}  // namespace

std::string first_bytes(const fs::path& path) {
  constexpr std::size_t looked_at = 4096;
  std::string bytes(looked_at, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (bytes.starts_with(byte_order_mark)) bytes.erase(0, byte_order_mark.size());
  return bytes;
}

std::string foreign_format(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return what_folder_is(path);
  const std::string bytes = first_bytes(path);
  if (is_goal_binary(std::as_bytes(std::span(bytes)))) return "";
  for (const Known& known : beginnings)
    if (bytes.starts_with(known.mark)) return known.what;
  if (is_tool_of_dumpi(path, bytes)) return "is a trace of DUMPI (SST)";
  const std::string name = path.filename().string();
  if (std::string archive = what_archive_is(bytes, name); !archive.empty()) return archive;
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start != std::string::npos && (bytes[start] == '{' || bytes[start] == '[')) return what_json_is(bytes);
  for (const Known& known : endings)
    if (name.ends_with(known.mark)) return known.what;
  if (is_binary(bytes)) return "is a binary file of an unknown format";
  return "";
}

}  // namespace finegrain::formats
