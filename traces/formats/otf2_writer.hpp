// SPDX-License-Identifier: MIT
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "traces/formats/otf2_collectives.hpp"
#include "traces/formats/sent_sizes.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::formats {

/// What the events of all ranks refer to, and what they lack of the trace.
struct Otf2Names {
  static constexpr OTF2_AttributeRef source_code_location =
      0;  ///< the attribute of calls whose line is known

  std::map<std::string, std::uint32_t> functions;
  std::map<std::pair<std::string, unsigned>, std::uint32_t> lines;  ///< the source's: file, line
  std::set<std::int32_t> communicators{0};
  std::set<std::int32_t> windows;
  std::map<std::string, std::int64_t> remarks;  ///< how often each
};

/// @throws InputError with the library's text
void check_otf2(OTF2_ErrorCode code, const std::string& file);

/// Writes one rank's events, those of each of its threads to a location of its own.
class Otf2Writer {
 public:
  /// @param first_ns  time that becomes 0  @param file  the archive, for errors
  /// @param sizes  those of all ranks' messages, of which this rank takes those that it receives
  /// @param open  opens the location of another thread than the main one, by the thread's number
  Otf2Writer(const Trace& trace, std::int32_t rank, std::int64_t first_ns, OTF2_EvtWriter* main,
             std::function<OTF2_EvtWriter*(std::uint32_t)> open, SentSizes& sizes, Otf2Names& names,
             std::string file)
      : trace_(trace),
        rank_(rank),
        first_ns_(first_ns),
        threads_{{0, {main}}},
        open_location_(std::move(open)),
        sizes_(sizes),
        names_(names),
        file_(std::move(file)) {}

  void write(const RecordedIteration& call);
  /// After the last call.
  void finish();
  std::uint64_t last_time() const { return last_time_; }

 private:
  struct Thread {
    OTF2_EvtWriter* location;
    std::uint64_t time = 0;  ///< its last event's
  };
  /// A request that is not complete.
  struct Open {
    Operation operation;
    std::uint64_t sent = 0;      ///< a collective's bytes
    std::uint64_t received = 0;  ///< a collective's bytes, or a message's
  };

  void enter(RegionName call, std::uint32_t function, std::uint64_t time);
  void count_what_is_lost(std::span<const Operation> operations, std::string_view function);
  void write(const Post& post);
  void write(const Collective& collective, const Body& body, std::int64_t end_ns);
  void write(const Lock& lock);
  void complete(std::int64_t request);
  void cancel_oldest();
  void check(OTF2_ErrorCode code) const { check_otf2(code, file_); }
  std::uint64_t time(std::int64_t at_ns);
  std::uint64_t received_bytes(const Post& receive);
  std::uint32_t rank_in(std::int32_t communicator, std::int32_t rank_of_run) const;

  const Trace& trace_;
  std::int32_t rank_;
  std::int64_t first_ns_;
  std::map<std::uint32_t, Thread> threads_;
  std::function<OTF2_EvtWriter*(std::uint32_t)> open_location_;
  SentSizes& sizes_;
  Otf2Names& names_;
  std::string file_;
  OTF2_EvtWriter* writer_ = nullptr;  ///< the calling thread's
  std::uint64_t time_ = 0;            ///< that thread's
  std::uint64_t last_time_ = 0;
  std::int64_t requests_ = 0;
  std::map<std::int64_t, Open> open_;
  std::set<std::int64_t> nothing_;  ///< those of open_ that stand for receives that take no message
};

}  // namespace finegrain::formats
