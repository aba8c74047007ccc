// SPDX-License-Identifier: MIT
#include "traces/places/place_names.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "traces/io/input_error.hpp"

namespace finegrain::places {
namespace {

/// Interpreters, whose own functions say nothing of the script.
constexpr std::array interpreters = {"libpython", "python"};
/// Libraries that call MPI for a program, by the beginnings of their files' names; and the C library, which
/// calls a program's main function.
constexpr std::array wrappers = {"libmpi",     "libmpich", "libboost_mpi",          "libpetsc", "libhdf5",
                                 "libpnetcdf", "MPI.",     "libfinegrain_recorder", "libc.so"};

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// Before a function of Python, in place of a build id.
constexpr std::string_view of_python = "python:";

bool is_of_python(const CallFrame& frame) {
  return frame.build_id.starts_with(of_python);
}

bool is_one_of(std::string_view name, const auto& beginnings) {
  return std::ranges::any_of(beginnings,
                             [&](const std::string_view beginning) { return name.starts_with(beginning); });
}

/// Whether a package or a module of Python wraps MPI, as mpi4py does, or belongs to Python.
bool is_pythons_wrapper(const std::string& path, const std::vector<std::string>& skipped) {
  if (path.starts_with("<frozen ")) return true;
  // Folders above those of packages, and a script's own, are the user's.
  bool is_installed = false;
  for (const std::filesystem::path& part : std::filesystem::path(path)) {
    if (is_installed && (part == "mpi4py" || is_one_of(part.string(), skipped))) return true;
    is_installed = is_installed || part == "site-packages" || part == "dist-packages";
  }
  const std::filesystem::path file(path);
  return is_one_of(file.filename().string(), skipped) ||
         is_one_of(file.parent_path().filename().string(), skipped);
}

bool is_of_system(const SourceLine& line) {
  return line.file.starts_with("/usr/include/") || line.file.starts_with("/usr/lib/");
}

}  // namespace

/// The debugging information of a file, where it is the one that was recorded.
class PlaceNames::DebugInformation {
 public:
  DebugInformation(const std::string& path, const std::string& build_id) : dwfl_(::dwfl_begin(&callbacks())) {
    if (dwfl_ == nullptr) return;
    ::dwfl_report_begin(dwfl_.get());
    module_ = ::dwfl_report_offline(dwfl_.get(), file_name(path).c_str(), path.c_str(), -1);
    ::dwfl_report_end(dwfl_.get(), nullptr, nullptr);
    GElf_Addr bias = 0;
    if (module_ == nullptr || ::dwfl_module_getelf(module_, &bias) == nullptr ||
        build_id_of_file() != build_id) {
      module_ = nullptr;
      return;
    }
    bias_ = bias;
  }

  /// @param address  that of the call's instruction, or one within it
  std::vector<SourceLine> lines_at(std::uint64_t address) const {
    if (module_ == nullptr) return {};
    const Dwarf_Addr at = address + bias_;
    SourceLine line;
    if (Dwfl_Line* const found = ::dwfl_module_getsrc(module_, at); found != nullptr) {
      const char* const file = ::dwfl_lineinfo(found, nullptr, &line.line, nullptr, nullptr, nullptr);
      line.file = file == nullptr ? "" : file;
    }
    std::vector<SourceLine> lines = inlined_at(at, line);
    const char* const symbol = ::dwfl_module_addrname(module_, at);
    if (line.function.empty() && symbol != nullptr) line.function = symbol;
    if (line.file.empty()) line.line = 0;
    if (!line.function.empty() || line.line > 0) lines.push_back(line);
    return lines;
  }

 private:
  struct End {
    void operator()(Dwfl* dwfl) const { ::dwfl_end(dwfl); }
  };
  struct Free {
    void operator()(Dwarf_Die* dies) const { std::free(dies); }
  };

  static const Dwfl_Callbacks& callbacks() {
    static char* path = nullptr;
    // Otherwise libdw asks servers of debugging information for each file without it, and waits for them.
    static const bool asks_no_server = ::unsetenv("DEBUGINFOD_URLS") == 0;
    static_cast<void>(asks_no_server);
    static const Dwfl_Callbacks all = {.find_elf = ::dwfl_build_id_find_elf,
                                       .find_debuginfo = ::dwfl_standard_find_debuginfo,
                                       .section_address = ::dwfl_offline_section_address,
                                       .debuginfo_path = &path};
    return all;
  }

  std::string build_id_of_file() const {
    const unsigned char* bits = nullptr;
    GElf_Addr address = 0;
    const int bytes = ::dwfl_module_build_id(module_, &bits, &address);
    if (bytes <= 0) return "-";
    return fmt::format("{:02x}", fmt::join(bits, bits + bytes, ""));
  }

  /// The functions that were inlined around an address, the innermost first.
  /// @param line  that of the address; then the line and the function into which the outermost was inlined
  std::vector<SourceLine> inlined_at(Dwarf_Addr at, SourceLine& line) const {
    std::vector<SourceLine> lines;
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = ::dwfl_module_addrdie(module_, at, &bias);
    if (unit == nullptr) return lines;
    Dwarf_Die* found = nullptr;
    const int depth = ::dwarf_getscopes(unit, at - bias, &found);
    const std::unique_ptr<Dwarf_Die, Free> innermost(found);
    if (depth <= 0) return lines;
    found = nullptr;
    const int scopes = ::dwarf_getscopes_die(innermost.get(), &found);
    const std::unique_ptr<Dwarf_Die, Free> chain(found);
    for (int s = 0; s < scopes; ++s) {
      Dwarf_Die* const scope = chain.get() + s;
      const int tag = ::dwarf_tag(scope);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
      const char* const name = ::dwarf_diename(scope);
      line.function = name == nullptr ? "" : name;
      if (tag == DW_TAG_subprogram) break;
      lines.push_back(line);
      line = {"", call_file(unit, scope), static_cast<int>(number(scope, DW_AT_call_line))};
    }
    return lines;
  }

  static Dwarf_Word number(Dwarf_Die* die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (::dwarf_formudata(::dwarf_attr(die, name, &attribute), &value) != 0) return 0;
    return value;
  }

  static std::string call_file(Dwarf_Die* unit, Dwarf_Die* die) {
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    const Dwarf_Word index = number(die, DW_AT_call_file);
    if (::dwarf_getsrcfiles(unit, &files, &count) != 0 || index >= count) return "";
    const char* const file = ::dwarf_filesrc(files, index, nullptr, nullptr);
    return file == nullptr ? "" : file;
  }

  std::unique_ptr<Dwfl, End> dwfl_;
  Dwfl_Module* module_ = nullptr;  ///< none: there is no such file any more
  Dwarf_Addr bias_ = 0;
};

PlaceNames::~PlaceNames() = default;
PlaceNames::PlaceNames(PlaceNames&&) noexcept = default;
PlaceNames& PlaceNames::operator=(PlaceNames&&) noexcept = default;

PlaceNames::PlaceNames(const Trace& trace) {
  if (const std::optional<FileSlice> file = trace.places_file()) known_ = read_places(*file);
}

const std::vector<SourceLine>& PlaceNames::lines_of(const CallFrame& frame) {
  static const std::vector<SourceLine> none;
  if (frame.object.empty()) return none;
  if (is_of_python(frame))
    return known_
        .try_emplace({frame.build_id + " " + frame.object, frame.address}, 1,
                     SourceLine{frame.build_id.substr(of_python.size()), frame.object,
                                static_cast<int>(frame.address)})
        .first->second;
  // Files without a build id are told apart by their paths.
  const std::pair key(frame.build_id == "-" ? frame.object : frame.build_id, frame.address);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  auto& object = opened_[{frame.object, frame.build_id}];
  if (!object) object = std::make_unique<DebugInformation>(frame.object, frame.build_id);
  // The address is that after the call, which may belong to the next line.
  return known_.emplace(key, object->lines_at(frame.address - 1)).first->second;
}

bool PlaceNames::is_passed_over(const CallFrame& frame) const {
  if (is_of_python(frame)) return is_pythons_wrapper(frame.object, skipped_);
  const std::string object = file_name(frame.object);
  return frame.object.empty() || is_one_of(object, wrappers) || is_one_of(object, interpreters) ||
         is_one_of(object, skipped_);
}

std::optional<PlaceNames::Own> PlaceNames::find_own(std::span<const CallFrame> frames) {
  for (const CallFrame& frame : frames) {
    if (is_passed_over(frame)) continue;
    const std::vector<SourceLine>& lines = lines_of(frame);
    const auto own = std::ranges::find_if_not(lines, is_of_system);
    if (own != lines.end()) return Own{&frame, &*own};
    if (lines.empty()) return Own{&frame, nullptr};  // otherwise a template of a header that wraps MPI
  }
  return std::nullopt;
}

std::string PlaceNames::name(std::span<const CallFrame> frames) {
  if (const std::optional<Own> own = find_own(frames)) {
    const std::string object = file_name(own->frame->object);
    if (own->line == nullptr) return fmt::format("{}+0x{:x}", object, own->frame->address);
    if (own->line->line > 0) return fmt::format("{}:{}", files_.name(own->line->file), own->line->line);
    return fmt::format("{} ({})", own->line->function, object);
  }
  for (const CallFrame& frame : frames)
    if (const std::string object = file_name(frame.object); is_one_of(object, interpreters)) return object;
  for (const CallFrame& frame : frames)
    if (!frame.object.empty()) return fmt::format("{}+0x{:x}", file_name(frame.object), frame.address);
  return "unknown place";
}

bool PlaceNames::tell_files_apart(const Trace& trace) {
  bool has_places = false;
  trace.for_each_place([&](std::span<const CallFrame> frames) {
    has_places = true;
    if (const std::optional<Own> own = find_own(frames); own && own->line != nullptr && own->line->line > 0)
      files_.add(own->line->file);
  });
  return has_places;
}

void PlaceNames::write(const Trace& trace, const std::filesystem::path& folder) {
  PlaceNames names(trace);
  KnownLines found;
  trace.for_each_place([&](std::span<const CallFrame> frames) {
    for (const CallFrame& frame : frames) {
      if (frame.build_id == "-") continue;  // nobody could tell whether a name is still right
      if (is_of_python(frame)) continue;    // its name is in the rank's file
      const std::vector<SourceLine>& lines = names.lines_of(frame);
      if (!lines.empty()) found[{frame.build_id, frame.address}] = lines;
    }
  });
  if (!found.empty()) write_places(found, folder);
}

NamePlace names_of_places(const Trace& trace, std::span<const std::string> skipped) {
  const auto names = std::make_shared<PlaceNames>(trace);
  for (const std::string& beginning : skipped)
    names->skip(beginning);
  names->tell_files_apart(trace);
  return [names](std::span<const CallFrame> frames) { return names->name(frames); };
}

Trace open_by_place(const std::filesystem::path& path, std::span<const std::string> skipped) {
  Trace trace(path);
  if (!trace.names_functions())
    throw InputError(path.string(), "has phases, and no calls of an MPI program that have places",
                     "Name them by function");
  const auto names = std::make_shared<PlaceNames>(trace);
  for (const std::string& beginning : skipped)
    names->skip(beginning);
  if (!names->tell_files_apart(trace))
    throw InputError(path.string(), "does not say where in the program its calls were made",
                     "Record it again, without --call-sites none");
  trace.name_places([names](std::span<const CallFrame> frames) { return names->name(frames); });
  return trace;
}

}  // namespace finegrain::places
