// SPDX-License-Identifier: MIT
#include "traces/formats/format.hpp"

#include <fmt/format.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <cstdarg>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "traces/formats/otf2_writer.hpp"
#include "traces/formats/sent_sizes.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::formats {
namespace {

OTF2_FlushType flush_always(void* /*data*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/,
                            void* /*caller*/, bool /*final*/) {
  return OTF2_FLUSH;
}

/// While it lives, the library's first error is thrown. It says what is wrong, such as a full disk, and the
/// library itself would go on after a write that failed, and crash.
struct Writing {
  explicit Writing(std::string archive) : file(std::move(archive)) {
    OTF2_Error_RegisterCallback(stop, this);
  }
  ~Writing() { OTF2_Error_RegisterCallback(nullptr, nullptr); }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

  static OTF2_ErrorCode stop(void* writing, const char* /*file*/, std::uint64_t /*line*/,
                             const char* /*function*/, OTF2_ErrorCode code, const char* /*format*/,
                             std::va_list /*arguments*/) {
    auto& self = *static_cast<Writing*>(writing);
    // Warnings are below OTF2_SUCCESS.
    if (code > OTF2_SUCCESS && !std::exchange(self.failed, true)) check_otf2(code, self.file);
    return code;
  }

  std::string file;  ///< the archive's, for errors
  bool failed = false;
};

/// When the first call of any rank began.
std::int64_t first_time(const Trace& trace) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (int rank = 0; rank < trace.manifest().run.ranks; ++rank) {
    Trace::RankReader reader = trace.rank(rank);
    const auto call = reader.next();
    if (call && !call->body.regions.empty()) first = std::min(first, call->regions.back().start_ns);
  }
  return first;
}

/// Numbers strings as they come.
class Strings {
 public:
  Strings(OTF2_GlobalDefWriter* writer, const std::string& file) : writer_(writer), file_(file) {}
  OTF2_StringRef operator()(const std::string& text) {
    check_otf2(OTF2_GlobalDefWriter_WriteString(writer_, next_, text.c_str()), file_);
    return next_++;
  }

 private:
  OTF2_GlobalDefWriter* writer_;
  const std::string& file_;
  OTF2_StringRef next_ = 0;
};

/// The locations' group, the communicators' groups, the communicators and the windows.
void write_communicators(OTF2_GlobalDefWriter* writer, Strings& strings, const Trace& trace,
                         const Otf2Names& names, const std::string& file) {
  const auto check = [&](OTF2_ErrorCode code) { check_otf2(code, file); };
  const auto ranks = static_cast<std::uint32_t>(trace.manifest().run.ranks);
  std::vector<std::uint64_t> members(ranks);
  std::iota(members.begin(), members.end(), 0);
  check(OTF2_GlobalDefWriter_WriteGroup(writer, 0, strings("MPI locations"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                        OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, ranks, members.data()));
  for (const std::int32_t number : names.communicators) {
    const bool is_world = number == 0;
    if (!is_world) {
      const auto of_communicator = trace.communicator(number);
      members.assign(of_communicator.begin(), of_communicator.end());
    }
    const OTF2_StringRef name = strings(is_world ? "MPI_COMM_WORLD" : fmt::format("communicator {}", number));
    const auto own = static_cast<std::uint32_t>(number);
    check(OTF2_GlobalDefWriter_WriteGroup(writer, own + 1, name, OTF2_GROUP_TYPE_COMM_GROUP,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                          static_cast<std::uint32_t>(members.size()), members.data()));
    check(OTF2_GlobalDefWriter_WriteComm(writer, own, name, own + 1, is_world ? OTF2_UNDEFINED_COMM : 0,
                                         OTF2_COMM_FLAG_NONE));
    if (names.windows.contains(number))
      check(OTF2_GlobalDefWriter_WriteRmaWin(writer, own, name, own, OTF2_RMA_WIN_FLAG_NONE));
  }
}

/// A rank's thread: the main ones of all ranks, numbered as these; then the others.
struct Location {
  std::size_t rank;
  std::uint32_t thread;
  OTF2_EvtWriter* writer = nullptr;  ///< while it is written
  std::uint64_t events = 0;
};

/// The keys, in the order of their numbers from 0 on: in which otf2-print expects definitions.
template <class Key>
std::vector<Key> in_order(const std::map<Key, std::uint32_t>& numbers) {
  std::vector<Key> keys(numbers.size());
  for (const auto& [key, number] : numbers)
    keys[number] = key;
  return keys;
}

void write_definitions(OTF2_GlobalDefWriter* writer, const Trace& trace, const Otf2Names& names,
                       const std::vector<Location>& locations, std::uint64_t length,
                       const std::string& file) {
  const auto check = [&](OTF2_ErrorCode code) { check_otf2(code, file); };
  Strings strings(writer, file);
  constexpr std::uint64_t ticks_per_s = 1'000'000'000;
  check(OTF2_GlobalDefWriter_WriteClockProperties(writer, ticks_per_s, 0, length + 1,
                                                  OTF2_UNDEFINED_TIMESTAMP));
  const OTF2_StringRef none = strings("");
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, strings("run"), strings("machine"),
                                                 OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  for (std::size_t number = 0; number < locations.size(); ++number) {
    const Location& location = locations[number];
    const auto rank = static_cast<std::uint32_t>(location.rank);
    const bool is_main = location.thread == 0;
    const OTF2_StringRef name =
        strings(is_main ? fmt::format("MPI rank {}", rank)
                        : fmt::format("MPI rank {}, thread {}", rank, location.thread));
    if (is_main)
      check(OTF2_GlobalDefWriter_WriteLocationGroup(writer, rank, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                    OTF2_UNDEFINED_LOCATION_GROUP));
    check(OTF2_GlobalDefWriter_WriteLocation(writer, number, name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                             location.events, rank));
  }
  OTF2_RegionRef region = 0;
  for (const std::string& function : in_order(names.functions)) {
    const OTF2_StringRef name = strings(function);
    check(OTF2_GlobalDefWriter_WriteRegion(writer, region++, name, name, none, OTF2_REGION_ROLE_FUNCTION,
                                           OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, none, 0, 0));
  }
  if (!names.lines.empty())
    check(OTF2_GlobalDefWriter_WriteAttribute(
        writer, Otf2Names::source_code_location, strings("SOURCE_CODE_LOCATION"),
        strings("Where in the source the call is"), OTF2_TYPE_SOURCE_CODE_LOCATION));
  OTF2_SourceCodeLocationRef place = 0;
  for (const auto& [source, line] : in_order(names.lines))
    check(OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer, place++, strings(source), line));
  write_communicators(writer, strings, trace, names, file);
}

}  // namespace

Export export_otf2(const Trace& trace, const std::filesystem::path& folder,
                   const ExportOptions& /*options*/) {
  check_absent(folder, "an archive is a folder of its own");
  Temporary made((folder / "").parent_path());
  made.make_folder();
  Writing writing(folder.string());
  const std::string& file = writing.file;
  const auto close = [&](OTF2_Archive* archive) {
    // After an error of the library, nothing more can be written. After another one, closing must not throw.
    if (!std::exchange(writing.failed, true)) OTF2_Archive_Close(archive);
  };
  constexpr std::uint64_t chunk_of_events = std::uint64_t{1} << 20;
  constexpr std::uint64_t chunk_of_definitions = std::uint64_t{4} << 20;
  std::unique_ptr<OTF2_Archive, decltype(close)> archive(
      OTF2_Archive_Open(made.path().c_str(), "traces", OTF2_FILEMODE_WRITE, chunk_of_events,
                        chunk_of_definitions, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE),
      close);
  if (archive == nullptr) check_otf2(OTF2_ERROR_FILE_INTERACTION, file);
  const OTF2_FlushCallbacks flush{flush_always, nullptr};
  const auto check = [&](OTF2_ErrorCode code) { check_otf2(code, file); };
  check(OTF2_Archive_SetFlushCallbacks(archive.get(), &flush, nullptr));
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive.get()));
  check(OTF2_Archive_SetCreator(archive.get(), "finegrain"));
  check(OTF2_Archive_OpenEvtFiles(archive.get()));
  Otf2Names names;
  std::vector<Location> locations;
  const auto open = [&](std::size_t number) {
    OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive.get(), number);
    if (writer == nullptr) check_otf2(OTF2_ERROR_FILE_INTERACTION, file);
    return locations[number].writer = writer;
  };
  const auto close_location = [&](Location& location) {
    check(OTF2_EvtWriter_GetNumberOfEvents(location.writer, &location.events));
    check(OTF2_Archive_CloseEvtWriter(archive.get(), std::exchange(location.writer, nullptr)));
  };
  const auto ranks = static_cast<std::size_t>(trace.manifest().run.ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    locations.push_back({rank, 0});
  std::uint64_t length = 0;
  const std::int64_t first_ns = first_time(trace);
  SentSizes sizes(trace);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::size_t first_other = locations.size();
    const auto open_other = [&](std::uint32_t thread) {
      locations.push_back({rank, thread});
      return open(locations.size() - 1);
    };
    Otf2Writer writer(trace, static_cast<std::int32_t>(rank), first_ns, open(rank), open_other, sizes, names,
                      file);
    Trace::RankReader reader = trace.rank(static_cast<int>(rank));
    while (const auto call = reader.next())
      writer.write(*call);
    writer.finish();
    close_location(locations[rank]);
    std::for_each(locations.begin() + static_cast<std::ptrdiff_t>(first_other), locations.end(),
                  close_location);
    length = std::max(length, writer.last_time());
  }
  check(OTF2_Archive_CloseEvtFiles(archive.get()));
  check(OTF2_Archive_OpenDefFiles(archive.get()));
  for (std::size_t number = 0; number < locations.size(); ++number) {
    OTF2_DefWriter* const local = OTF2_Archive_GetDefWriter(archive.get(), number);
    if (local != nullptr) check(OTF2_Archive_CloseDefWriter(archive.get(), local));
  }
  check(OTF2_Archive_CloseDefFiles(archive.get()));
  OTF2_GlobalDefWriter* const definitions = OTF2_Archive_GetGlobalDefWriter(archive.get());
  if (definitions == nullptr) check_otf2(OTF2_ERROR_FILE_INTERACTION, file);
  write_definitions(definitions, trace, names, locations, length, file);
  check(OTF2_Archive_CloseGlobalDefWriter(archive.get(), definitions));
  check(OTF2_Archive_Close(archive.release()));
  made.put_in_place();
  Export result{folder / "traces.otf2"};
  for (const Location& location : locations)
    result.count += static_cast<std::int64_t>(location.events);
  for (const auto& [what, count] : names.remarks)
    result.notes.push_back(fmt::format("{} {}", count, what));
  return result;
}

}  // namespace finegrain::formats
