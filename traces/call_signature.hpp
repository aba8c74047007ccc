// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "traces/operation.hpp"
#include "traces/operation_writer.hpp"

namespace finegrain {

/// What one call of an MPI program does, as the bytes that a rank's file holds (docs/trace-format.md,
/// "Calls"): the function, then operations in their order. One object is used again and again, so that
/// nothing is allocated. Peers are ranks of the run, communicators and windows the numbers that
/// CallRecorder::define_communicator gave them.
class CallSignature {
 public:
  CallSignature() = default;
  CallSignature(const CallSignature&) = delete;
  CallSignature& operator=(const CallSignature&) = delete;

  /// Begins anew. @param function  a number of CallRecorder::define_function
  void begin(std::uint32_t function);
  /// A thread that is not the main one: 1, 2, ... To be called right after begin().
  void thread(std::uint32_t number);
  /// Where in the program the call was made. To be called right after these. @param name  a number of
  /// CallRecorder::define_function, of a chain of return addresses
  void place(std::uint32_t name);

  /// A receive of any source or any tag is posted with peer -1 or tag 0, and bound later.
  void post(const Post& post);
  /// `count` requests, from the one on that was made `oldest` requests ago (1: the newest). Every Post that
  /// is not blocking and every nonblocking Collective makes one.
  void complete(std::int64_t oldest, std::int64_t count = 1);
  /// @param sizes  as Collective::first_size says; first_size and size_count are ignored
  void collective(const Collective& collective, std::span<const std::int64_t> sizes = {});
  void lock(const Lock& lock);
  /// The receive posted `age` requests ago (1: the newest; 0: a blocking one of this very call) got a message
  /// of this rank and tag. To be said before the complete() of it.
  void bind(std::int64_t age, std::int32_t peer, std::int32_t tag);
  /// The receive posted so long ago was cancelled, or freed before anyone saw what it got.
  void cancel(std::int64_t age);
  /// The call's time is spent on something that is neither computing nor communicating with the ranks of the
  /// run (files, spawned programs, functions without semantics), and passes on any platform.
  void timed() { work({.is_timed = true}); }
  void work(const Work& work);

  std::span<const std::byte> bytes() const { return bytes_; }
  std::uint32_t posts() const { return posts_; }

 private:
  std::vector<std::byte> bytes_;
  OperationWriter writer_{bytes_};
  std::uint32_t posts_ = 0;
};

}  // namespace finegrain
