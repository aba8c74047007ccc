// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/recorder/call_now.hpp"
#include "kernels/recorder/depth.hpp"
#include "kernels/recorder/recording.hpp"

namespace finegrain::recorder {

/// A call of the program, from its beginning.
class Call {
 public:
  explicit Call(Function function) : function_(function), start_ns_(clock_ns()), lost_ns_(read_lost_ns()) {
    count_call(function);
    if (!is_in_inner_call()) call_now.begin(function, outermost_caller(), start_ns_);
  }

  Function function() const { return function_; }
  std::int64_t start_ns() const { return start_ns_; }
  /// How long the thread waited for a core during the work before this call; 0 if that work was short.
  std::int64_t lost_ns() const { return lost_ns_; }

 private:
  std::int64_t read_lost_ns() const;

  Function function_;
  std::int64_t start_ns_;
  std::int64_t lost_ns_;
};

/// What a call did, filled in after it has ended; its destructor writes it. False if nothing is recorded.
class Record {
 public:
  explicit Record(const Call& call);
  ~Record();
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  explicit operator bool() const { return static_cast<bool>(access_); }
  Recording& recording() const { return access_.recording(); }
  CallSignature& signature() const { return recording().signature; }
  /// Files the call under this name in place of the function's own.
  void rename(std::string_view name);

  /// A send, a receive, or a one-sided transfer. @returns the request's number in the trace, if it makes one
  std::int64_t post(const Post& post);
  /// @returns the request's number in the trace, if it makes one
  std::int64_t collective(const Collective& collective, std::span<const std::int64_t> sizes = {});
  /// @param numbers  those of requests; they are sorted
  void complete(std::span<std::int64_t> numbers);
  void complete_newest(std::int64_t count) { signature().complete(count, count); }
  std::int64_t age(std::int64_t number) const { return recording().requests_made - number; }

 private:
  void begin(std::uint32_t function);

  Access access_;
  std::int64_t start_ns_ = 0;
  std::int64_t lost_ns_ = 0;
};

/// Records a call that found nothing; the next one may find something.
/// @param is_outside  (Recording&) -> bool: whether it waits for a process outside the run
void record_poll(const Call& call, std::int64_t end_ns, const Access& access, bool is_outside);
template <class IsOutside>
void record_poll(const Call& call, IsOutside is_outside) {
  const std::int64_t end_ns = clock_ns();
  const Access access;
  if (access) record_poll(call, end_ns, access, is_outside(access.recording()));
}

/// A call of which only the time is known.
class TimedCall {
 public:
  explicit TimedCall(Function function) : call_(function) {}
  ~TimedCall() {
    if (const Record record(call_); record) record.signature().timed();
  }
  TimedCall(const TimedCall&) = delete;
  TimedCall& operator=(const TimedCall&) = delete;

 private:
  Call call_;
};

/// Says on rank 0, once for each function, that what the function communicates is not in the trace.
void say_not_recorded(Function function);

/// Bytes of `count` elements. Zero elements may have no type (MPI_DATATYPE_NULL), which has no size. Sizes
/// that are too large for MPI itself are undefined: these are 0, and products 2^62 at most.
/// @pre count >= 0
inline std::int64_t size_bytes(std::int64_t count, MPI_Datatype type) {
  if (count == 0) return 0;
  MPI_Count size = 0;
  real.MPI_Type_size_x(type, &size);
  if (size < 0) return 0;
  constexpr std::int64_t most = std::int64_t{1} << 62;
  std::int64_t product = 0;
  const bool overflows = __builtin_mul_overflow(count, static_cast<std::int64_t>(size), &product);
  return overflows || product > most ? most : product;
}

}  // namespace finegrain::recorder
