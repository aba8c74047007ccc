// SPDX-License-Identifier: MIT
#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "traces/call_frame.hpp"
#include "traces/chunk.hpp"
#include "traces/column.hpp"
#include "traces/communicators.hpp"
#include "traces/running_mean.hpp"

namespace finegrain {

/// Reads the calls of a rank's file, chunk after chunk, each as an iteration of two regions: the program's
/// own work since the call before (of the main thread only), and the function. Receives of any source get the
/// source that they took, which is known once they are complete: the calls until then are kept in memory. A
/// cancelled receive was posted long before its cancellation is read, so one decoder finds out which
/// requests are cancelled, and a second one uses this.
class CallDecoder {
 public:
  /// @param ranks  the run's, as ChunkDecoder takes them
  /// @param communicators  the trace's
  /// @param name_place  given each chain of calls as it is read; calls are then named by their function and
  /// what this returns. None: by their function
  CallDecoder(std::int32_t rank, std::int32_t ranks, std::shared_ptr<Communicators> communicators,
              NamePlace name_place = {})
      : rank_(rank),
        ranks_(ranks),
        communicators_(std::move(communicators)),
        name_place_(std::move(name_place)) {}

  /// Whether chunks after the open one may have calls with signatures that are known by then.
  enum class Signatures : std::uint8_t { may_be_used_later, are_used_here_only };

  /// Takes the next chunk's content. Signatures that are used here only are decoded when the first call has
  /// them, and forgotten with the last: of a program that hardly repeats itself, few are in memory.
  /// @throws ChunkError
  void open(std::vector<std::byte> content, Signatures signatures = Signatures::may_be_used_later);
  /// Whether the open chunk defines all signatures of its calls.
  bool begins_anew() const { return begins_anew_; }
  /// Reads one call of the open chunk. @returns how many transfers it posts. @throws ChunkError where the
  /// content ends early or is not consistent
  std::uint64_t read();
  /// Whether nothing of the open chunk is left to read.
  bool exhausted() const;
  /// There are no more chunks: receives that are not complete yet never will be.
  void end();

  const NamePlace& name_place() const { return name_place_; }

  /// From now on chunks are only opened, to know whether a call says that a receive was cancelled, and
  /// whether one is of another thread than the main one.
  void look_only() { only_looks_ = true; }
  bool has_cancelled() const { return has_cancelled_; }
  bool has_threads() const { return has_threads_; }
  /// Requests that were cancelled, by their numbers, of the calls that were read, and that were of no
  /// wildcard.
  const std::set<std::int64_t>& cancelled() const { return cancelled_; }
  /// Before the first call is read. @param requests  that take no message
  void expect_cancelled(std::set<std::int64_t> requests) { cancelled_ = std::move(requests); }
  /// Drops the calls that were read.
  void drop() {
    first_read_ += std::ssize(read_);
    read_.clear();
  }

  /// Gives the next call. @returns false if not everything is known about it yet. @throws ChunkError
  bool next(Decoded& decoded);
  /// The open chunk's content.
  const std::vector<std::byte>& content() const { return content_; }

  /// Times are multiples of this; 0: there are none.
  std::int64_t tick_ns() const { return static_cast<std::int64_t>(tick_ns_); }

 private:
  /// Where a signature says what a receive got: the receive is the `request`-th before the call's end.
  struct Binding {
    std::int64_t age;              ///< 0: a blocking receive of this call
    std::int64_t requests_before;  ///< that the call had made before it says so
    std::int32_t peer;             ///< -1: it was cancelled
    std::int32_t tag;
  };
  struct Signature {
    std::uint32_t thread;  ///< 0: the main one
    /// As the call was made: a receive with a wildcard has taken nothing yet. The same object for calls that
    /// differ only in their places, where these are not named.
    std::shared_ptr<const Shape> shape;
    std::vector<Binding> bindings;
    std::vector<std::size_t> wildcards;  ///< places of receives among the operations that are bound later
    RunningMean gap = {}, length = {};
  };
  struct Wildcard {
    std::size_t operation;
    std::optional<std::pair<std::int32_t, std::int32_t>> taken;  ///< peer and tag
  };
  /// A call that was read.
  struct Call {
    std::shared_ptr<Signature> signature;
    Interval time;
    std::int64_t gap_ns;
    std::uint64_t polls;
    std::int64_t lost_ns = 0;  ///< the part of the gap that was lost
    std::vector<Wildcard> wildcards;
    std::size_t unknown = 0;  ///< wildcards that are not known yet
  };
  struct OpenReceive {
    std::int64_t call;     ///< its number
    std::size_t wildcard;  ///< its index among the call's
  };
  enum class Decoding : std::uint8_t { now, when_used };
  void take_tables(std::span<const std::byte> functions, std::uint64_t function_count,
                   std::span<const std::byte> communicators, std::uint64_t communicator_count,
                   std::span<const std::byte> signatures, std::uint64_t signature_count, Decoding decoding);
  void take_name(std::span<const std::byte>& names);
  std::string named_place(std::string_view chain) const;
  std::string_view take_place(std::span<const std::byte>& signature) const;
  void take_communicators(std::span<const std::byte> definitions, std::uint64_t count);
  void number_in_trace(Operation& operation) const;
  void look_at(std::span<const std::byte> signature);
  std::shared_ptr<Signature> decoded_signature(std::span<const std::byte> bytes);
  /// Counts how often the calls of the open chunk use each signature.
  void count_uses();
  /// The signature of a call that is read.
  std::shared_ptr<Signature> use_signature(std::uint64_t number);
  void bind(const Signature& signature, std::int64_t call);
  void take(Call& call, std::size_t wildcard, std::int32_t peer, std::int32_t tag) const;
  std::shared_ptr<const Shape> shape_of(const Call& call);

  std::int32_t rank_;
  std::int32_t ranks_;
  std::vector<std::byte> content_;
  /// What a chunk defines among its functions: one of these, a file, or a chain of calls.
  struct Name {
    std::optional<RegionName> function;
    bool is_place = false;
    std::string text = {};  ///< a file's; what a chain of calls is named
  };
  std::vector<Name> names_;
  std::shared_ptr<Communicators> communicators_;
  NamePlace name_place_;
  std::vector<std::int32_t> numbers_{0};                ///< in the trace, by the rank's own
  std::vector<std::shared_ptr<Signature>> signatures_;  ///< null: not decoded yet, or not used any more
  /// The definitions of the last of them, which are decoded when they are used.
  std::vector<std::span<const std::byte>> undecoded_;
  std::vector<std::uint32_t> uses_left_;  ///< of each; empty: they may be used later
  bool begins_anew_ = false;
  /// Signatures that have a place, by their bytes without it, and the place's name. Others are never equal.
  std::unordered_map<std::string, std::shared_ptr<const Shape>> shapes_;
  ColumnReader calls_, gaps_, lengths_, polls_, waits_;
  std::uint64_t calls_to_wait_ = 0;  ///< until the one that `waits_` is about
  std::uint64_t tick_ns_ = 1;
  std::uint64_t last_end_ticks_ = 0;
  /// When each thread's last call ended, in ticks; none: it has no other.
  std::map<std::uint32_t, std::uint64_t> thread_ends_;

  /// Most calls leave it at once; it grows while a wildcard's message is not known.
  boost::circular_buffer<Call> read_{2};
  std::int64_t first_read_ = 0;  ///< number of the first call in `read_`
  std::set<std::int64_t> cancelled_;
  bool only_looks_ = false;
  bool has_cancelled_ = false;
  bool has_threads_ = false;
  std::int64_t requests_ = 0;                          ///< made by the calls that were read
  std::map<std::int64_t, OpenReceive> open_receives_;  ///< those of any source, by their requests' numbers
  /// What calls with wildcards did, by their shape and what these took.
  std::map<std::pair<std::shared_ptr<const Shape>, std::vector<std::int32_t>>, std::shared_ptr<const Shape>>
      bound_;
};

}  // namespace finegrain
