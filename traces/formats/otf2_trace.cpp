// SPDX-License-Identifier: MIT
#include "traces/formats/otf2_trace.hpp"

#include <fmt/format.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "traces/formats/otf2_callbacks.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::formats {
namespace {

/// What the library said last: it prints nothing itself.
std::string& last_message() {
  static thread_local std::string message;
  return message;
}

OTF2_ErrorCode keep_message(void* /*data*/, const char* /*file*/, std::uint64_t /*line*/,
                            const char* /*function*/, OTF2_ErrorCode code, const char* format,
                            std::va_list arguments) {
  char text[512] = "";
  std::vsnprintf(text, sizeof text, format, arguments);
  // Warnings are about definitions that come twice, which is harmless.
  if (code > OTF2_SUCCESS && last_message().empty())
    last_message() = fmt::format("{}: {}", OTF2_Error_GetDescription(code), text);
  return code;
}

}  // namespace

std::string Otf2Definitions::region_name(std::uint32_t region) const {
  const auto name = region_names.find(region);
  if (name == region_names.end()) return "unknown";
  const auto text = strings.find(name->second);
  return text == strings.end() || text->second.empty() ? "unknown" : text->second;
}

class Otf2Trace::State {
 public:
  explicit State(const std::filesystem::path& anchor) : file_(anchor.string()) {
    OTF2_Error_RegisterCallback(keep_message, nullptr);
    last_message().clear();
    std::error_code error;
    if (!std::filesystem::is_regular_file(anchor, error))
      throw InputError(file_, "is no file", "Give the anchor file of an OTF2 archive, e.g. traces.otf2");
    reader_ = OTF2_Reader_Open(file_.c_str());
    if (reader_ == nullptr) fail("cannot be opened as an OTF2 archive");
    try {
      if (OTF2_Reader_SetSerialCollectiveCallbacks(reader_) != OTF2_SUCCESS) fail("cannot be read");
      read_creator();
      read_definitions();
    } catch (...) {
      OTF2_Reader_Close(reader_);
      throw;
    }
  }
  ~State() { OTF2_Reader_Close(reader_); }

  std::vector<Otf2Event> events(int rank) {
    std::vector<Otf2Event> all;
    const std::uint64_t main = definitions.locations_of_ranks[static_cast<std::size_t>(rank)];
    std::uint32_t thread = 0;
    read_location(main, thread, all);
    const auto process = definitions.process_of_location.find(main);
    if (process == definitions.process_of_location.end()) return all;
    for (const auto& [location, of_process] : definitions.process_of_location) {
      if (of_process == process->second && location != main) read_location(location, ++thread, all);
    }
    std::ranges::stable_sort(all, {}, &Otf2Event::time);
    return all;
  }

  Otf2Definitions definitions;
  const std::string& file() const { return file_; }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const std::string said = last_message().empty() ? "" : fmt::format(" ({})", last_message());
    throw InputError(file_, what + said, "Check it with otf2-print");
  }

  void read_creator() {
    char* creator = nullptr;
    if (OTF2_Reader_GetCreator(reader_, &creator) == OTF2_SUCCESS && creator != nullptr)
      definitions.creator = creator;
    std::free(creator);
    last_message().clear();  // there need be none
  }

  void read_definitions() {
    OTF2_GlobalDefReader* const reader = OTF2_Reader_GetGlobalDefReader(reader_);
    if (reader == nullptr) fail("has no definitions");
    std::uint64_t read = 0;
    otf2::register_definitions(reader_, reader, definitions);
    if (OTF2_Reader_ReadAllGlobalDefinitions(reader_, reader, &read) != OTF2_SUCCESS)
      fail("has damaged definitions");
    for (const auto& [location, process] : definitions.process_of_location)
      OTF2_Reader_SelectLocation(reader_, location);
    // Local definitions hold the tables by which the library translates events.
    if (OTF2_Reader_OpenDefFiles(reader_) != OTF2_SUCCESS) last_message().clear();
    if (OTF2_Reader_OpenEvtFiles(reader_) != OTF2_SUCCESS) fail("has no events");
    for (const auto& [location, process] : definitions.process_of_location) {
      OTF2_DefReader* const local = OTF2_Reader_GetDefReader(reader_, location);
      if (local == nullptr) {
        last_message().clear();  // it has none
        continue;
      }
      OTF2_Reader_ReadAllLocalDefinitions(reader_, local, &read);
      OTF2_Reader_CloseDefReader(reader_, local);
    }
    OTF2_Reader_CloseDefFiles(reader_);
    last_message().clear();
  }

  void read_location(std::uint64_t location, std::uint32_t thread, std::vector<Otf2Event>& events) {
    OTF2_EvtReader* const reader = OTF2_Reader_GetEvtReader(reader_, location);
    if (reader == nullptr) fail(fmt::format("has no events of location {}", location));
    otf2::Sink sink{&events, thread};
    otf2::register_events(reader_, reader, sink);
    std::uint64_t read = 0;
    const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(reader_, reader, &read);
    OTF2_Reader_CloseEvtReader(reader_, reader);
    if (code != OTF2_SUCCESS) fail(fmt::format("has damaged events of location {}", location));
  }

  std::string file_;
  OTF2_Reader* reader_ = nullptr;
};

Otf2Trace::Otf2Trace(const std::filesystem::path& anchor) : state_(std::make_unique<State>(anchor)) {}
Otf2Trace::~Otf2Trace() = default;

const Otf2Definitions& Otf2Trace::definitions() const {
  return state_->definitions;
}

std::vector<Otf2Event> Otf2Trace::events(int rank) const {
  return state_->events(rank);
}

const std::string& Otf2Trace::file() const {
  return state_->file();
}

}  // namespace finegrain::formats
