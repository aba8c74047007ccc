// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace finegrain::formats {

/// An event of an OTF2 archive: those that an import needs.
struct Otf2Event {
  enum class Kind : std::uint8_t {
    enter,
    leave,
    send,
    isend,
    isend_complete,
    receive,
    irecv_request,
    irecv,
    cancelled,
    collective,
    collective_request,
    collective_complete,
    put,
    get,
    fetch,
    one_sided_complete,
    window_collective,
    lock,
    unlock
  };
  Kind kind;
  std::uint32_t thread = 0;  ///< one of its rank, 0: the main one
  std::uint64_t time = 0;    ///< ticks
  /// Region of enter and leave; of messages the communicator, of one-sided transfers the window.
  std::uint32_t object = 0;
  std::uint32_t peer = 0;  ///< or root; in the communicator
  std::uint32_t tag = 0;   ///< or the collective's kind, OTF2_CollectiveOp, or whether a lock is exclusive
  std::uint64_t size = 0;  ///< bytes; of a collective those sent
  std::uint64_t received = 0;  ///< bytes of a collective
  std::uint64_t request = 0;
};

/// The definitions of an archive.
struct Otf2Definitions {
  struct Communicator {
    std::uint64_t group = 0;
    bool is_of_all = false;  ///< it has no parent
  };
  std::map<std::uint32_t, std::string> strings;
  std::map<std::uint32_t, std::uint32_t> region_names;
  std::map<std::uint64_t, std::uint64_t> process_of_location;
  std::vector<std::uint64_t> locations_of_ranks;               ///< those of MPI's ranks
  std::map<std::uint64_t, std::vector<std::uint64_t>> groups;  ///< ranks of the run
  std::map<std::uint64_t, bool> groups_of_self;
  std::map<std::uint32_t, Communicator> communicators;
  std::map<std::uint32_t, std::uint32_t> windows;  ///< their communicators
  std::uint64_t ticks_per_s = 1'000'000'000;
  std::uint64_t start = 0;  ///< ticks
  std::string creator;      ///< the program that wrote it, if it says so

  std::string region_name(std::uint32_t region) const;
};

/// An archive of OTF2, opened by its anchor file.
class Otf2Trace {
 public:
  /// Reads the definitions. @throws InputError with the library's message
  explicit Otf2Trace(const std::filesystem::path& anchor);
  ~Otf2Trace();
  Otf2Trace(const Otf2Trace&) = delete;
  Otf2Trace& operator=(const Otf2Trace&) = delete;

  const Otf2Definitions& definitions() const;
  int ranks() const { return static_cast<int>(definitions().locations_of_ranks.size()); }
  /// All events of a rank that an import needs, of its threads together, by their times.
  /// @throws InputError with the library's message
  std::vector<Otf2Event> events(int rank) const;
  const std::string& file() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace finegrain::formats
